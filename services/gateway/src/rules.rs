//! The rules of play as texts for players.

use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::header::{ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, VARY};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::Query;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(get_rules))
}

/// A language that the rules are written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    #[default]
    En,
    Ar,
    Nl,
    Id,
    Hi,
    Es,
}

impl Language {
    const ALL: [Self; 6] = [Self::En, Self::Ar, Self::Nl, Self::Id, Self::Hi, Self::Es];

    const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ar => "ar",
            Self::Nl => "nl",
            Self::Id => "id",
            Self::Hi => "hi",
            Self::Es => "es",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::En => include_str!("../../../clients/web/rules/en.json"),
            Self::Ar => include_str!("../../../clients/web/rules/ar.json"),
            Self::Nl => include_str!("../../../clients/web/rules/nl.json"),
            Self::Id => include_str!("../../../clients/web/rules/id.json"),
            Self::Hi => include_str!("../../../clients/web/rules/hi.json"),
            Self::Es => include_str!("../../../clients/web/rules/es.json"),
        }
    }

    /// The first of the reader's languages that we have; weights are taken as the order, as browsers send them.
    fn accepted(headers: &HeaderMap) -> Self {
        let wanted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let primary = |range: &str| range.split([';', '-']).next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut ours = wanted.split(',').filter_map(|range| {
            let wanted = primary(range);
            Self::ALL.into_iter().find(|language| language.tag() == wanted)
        });
        ours.next().unwrap_or_default()
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichLanguage {
    /// By `Accept-Language` if left out, else English.
    #[param(inline, nullable = false)]
    lang: Option<Language>,
}

/// The rules in one language.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(Deserialize), serde(deny_unknown_fields))]
struct Rules {
    lang: String,
    title: String,
    sections: Vec<RulesSection>,
    /// For beginners.
    tips: Vec<String>,
}

/// A part of the rules.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(test, derive(Deserialize), serde(deny_unknown_fields))]
struct RulesSection {
    /// The same in every language.
    id: String,
    heading: String,
    /// Paragraphs.
    body: Vec<String>,
}

/// The rules of play
#[utoipa::path(
    get, path = "/v1/rules", tag = "players", security(()),
    params(WhichLanguage),
    responses((status = 200, body = Rules, description = "The rules, for a client to show")),
)]
async fn get_rules(headers: HeaderMap, Query(WhichLanguage { lang }): Query<WhichLanguage>) -> Response {
    let language = lang.unwrap_or_else(|| Language::accepted(&headers));
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CONTENT_LANGUAGE, language.tag()),
        (CACHE_CONTROL, "public, max-age=3600"),
        (VARY, "accept-language"),
    ];
    (headers, language.text()).into_response()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn every_text_is_json_of_its_language() {
        for language in Language::ALL {
            let text: Rules = serde_json::from_str(language.text()).unwrap();
            assert_eq!(text.lang, language.tag());
            assert!(text.sections.len() > 3 && text.tips.len() > 3);
        }
    }

    #[test]
    fn the_reader_is_understood() {
        for (wanted, tag) in [("de, nl-NL;q=0.8, en;q=0.5", "nl"), ("fr", "en"), ("", "en"), ("AR-eg", "ar")] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static(wanted));
            assert_eq!(Language::accepted(&headers).tag(), tag);
        }
    }
}
