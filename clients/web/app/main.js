// Starts the page: language, look, routes, and the streams that follow the player.

import { pieceSprite } from './board/pieces.js';
import { wakeSounds } from './game/sounds.js';
import { loadLanguage } from './i18n/index.js';
import { accountPage } from './pages/account.js';
import { gamePage } from './pages/game.js';
import { invitePage } from './pages/invite.js';
import { leaderboardPage } from './pages/leaderboard.js';
import { lobbyPage } from './pages/lobby.js';
import { notFoundPage } from './pages/not-found.js';
import { playerPage } from './pages/player.js';
import { rulesPage } from './pages/rules.js';
import { watchPage } from './pages/watch.js';
import { startNotices } from './shell/notices.js';
import { otherwise, route, startRouter } from './shell/router.js';
import { applySettings, onSettings } from './shell/settings.js';
import { buildShell } from './shell/shell.js';

route('/', lobbyPage);
route('/watch', watchPage);
route('/game/:', ([id]) => gamePage(id));
route('/invite/:', ([code]) => invitePage(code));
route('/player/:', ([id]) => playerPage(id));
route('/leaderboard', () => leaderboardPage('blitz'));
route('/leaderboard/:', ([timeClass]) => leaderboardPage(timeClass));
route('/rules', rulesPage);
route('/account', accountPage);
otherwise(notFoundPage);

applySettings();
onSettings(applySettings);
document.body.prepend(pieceSprite());
await loadLanguage();
const shell = buildShell(/** @type {HTMLElement} */ (document.getElementById('app')));
startRouter(shell.show);
startNotices();
wakeSounds();
