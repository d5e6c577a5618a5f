//! The API described by its own code: OpenAPI 3.1 and a page to browse it.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, OpenApi as Document, Ref, RefOr, Required, ResponseBuilder};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::app::App;
use crate::problem::ProblemBody;
use crate::web::Compressible;
use crate::{accounts, games, me, play, players, rules, tickets, watch};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Four Kingdoms",
        version = "1",
        description = "Four-player chess: sign up, find a game, play, watch, read the records.\n\n\
            Errors are `application/problem+json`; branch on `code`. Times are RFC 3339 UTC, durations integers with \
            their unit in the name. Fields may be added to answers; unknown fields of requests are ignored. \
            Too many requests get 429 with `Retry-After`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This server")),
    tags(
        (name = "accounts", description = "Signing up and in, bots' tokens, your own page"),
        (name = "finding a game", description = "Tickets, games among friends, the list of games"),
        (name = "playing", description = "A game: state, moves, events, record"),
        (name = "players", description = "Profiles, ratings, leaderboards, the rules"),
    ),
    components(schemas(ProblemBody<'static>)),
    modifiers(&Bearer),
)]
struct Described;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut Document) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token from signing up or in, or one made for a bot"))
            .build();
        document.components.get_or_insert_default().add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// Every endpoint of the API, and the document that describes them.
pub(crate) fn api() -> (Router<App>, Document) {
    let (router, mut document) = OpenApiRouter::with_openapi(Described::openapi())
        .merge(accounts::routes())
        .merge(me::routes())
        .merge(tickets::routes())
        .merge(games::routes())
        .merge(play::routes())
        .merge(watch::routes())
        .merge(players::routes())
        .merge(rules::routes())
        .split_for_parts();
    for item in document.paths.paths.values_mut() {
        for (operation, has_body) in [(&mut item.get, false), (&mut item.post, true), (&mut item.delete, true)] {
            if let Some(operation) = operation {
                describe_refusals(operation, has_body);
            }
        }
    }
    // Derived as `null` otherwise, which no body is.
    let guests = document.paths.paths.get_mut(accounts::GUESTS).and_then(|item| item.post.as_mut());
    if let Some(RefOr::T(body)) = guests.and_then(|operation| operation.request_body.as_mut()) {
        body.required = Some(Required::False);
    }
    (router, document)
}

/// Adds the refusals that many operations share. `has_body`: a body is read, even if none is needed.
fn describe_refusals(operation: &mut Operation, has_body: bool) {
    let secured = operation.security.iter().flatten().any(|one| *one != Default::default());
    let takes_something = has_body || operation.parameters.as_ref().is_some_and(|list| !list.is_empty());
    let shared = [
        (takes_something || secured, "400", "`BAD_REQUEST`, `BAD_POSITION`: what is wrong is named in `detail`"),
        (secured, "401", "`UNAUTHENTICATED`: no token, or a dead one"),
        (secured, "403", "`FORBIDDEN`: the token or its player may not do this"),
        (has_body, "408", "`REQUEST_TIMEOUT`: the body did not arrive in time"),
        (has_body, "413", "`TOO_LARGE`: more than 64 KiB"),
        (has_body, "415", "`UNSUPPORTED_MEDIA_TYPE`: not JSON"),
        (true, "429", "`RATE_LIMITED`, `COOLDOWN`: come back after `Retry-After` seconds"),
        (true, "431", "`HEADERS_TOO_LARGE`"),
        (true, "500", "`INTERNAL`: a fault of ours"),
        (true, "503", "`UNAVAILABLE`: try again in a moment; repeating the request is safe"),
    ];
    let keyed = operation
        .parameters
        .iter()
        .flatten()
        .any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.name == "Idempotency-Key"));
    let conflict = (keyed, "409", "`IDEMPOTENCY_KEY_REUSED`: the key came with another body before");
    for (applies, status, description) in shared.into_iter().chain([conflict]) {
        if applies {
            let problem = Content::builder().schema(Some(Ref::from_schema_name("Problem"))).build();
            let response = ResponseBuilder::new().description(description).content("application/problem+json", problem);
            operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.build().into());
        }
    }
}

/// `/openapi.json` and `/docs`.
pub(crate) fn routes(document: &Document) -> anyhow::Result<Router<App>> {
    let text: axum::body::Bytes = document.to_json()?.into();
    let serve = move || {
        let text = text.clone();
        async move { described(text) }
    };
    Ok(Router::new()
        .route("/openapi.json", get(serve))
        .merge(SwaggerUi::new("/docs").config(Config::new(["/openapi.json"]))))
}

fn described(text: axum::body::Bytes) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-cache")];
    Compressible::mark((headers, text).into_response())
}
