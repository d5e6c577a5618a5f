// News that reaches the player on any page: a game found, a turn come, a rematch wanted.

import { handleSeek } from '../game/seek.js';
import { play } from '../game/sounds.js';
import { named, t } from '../i18n/index.js';
import { onMeEvent, startMeEvents } from '../transport/me-events.js';
import { currentPath, go } from './router.js';
import { toast } from './say.js';

export function startNotices() {
  handleSeek({
    matched: (gameId) => {
      play('start');
      go(`/game/${gameId}`);
    },
    ended: (reason) => toast(named('seek.ended', reason), { kind: 'problem' }),
  });
  startMeEvents();
  onMeEvent((event) => {
    const path = `/game/${event.game_id}`;
    if (!event.game_id || currentPath() === path) return;
    const open = { label: t('notice.open'), run: () => go(path) };
    if (event.type === 'your_turn' && !onAnotherGame()) toast(t('notice.your_turn'), { action: open });
    else if (event.type === 'game_started' && document.visibilityState === 'visible') toast(t('notice.started'), { action: open });
    else if (event.type === 'rematch') toast(t('notice.rematch'), { action: open });
  });
}

/** Who is busy with one game is not called away to another at every turn. */
const onAnotherGame = () => currentPath().startsWith('/game/');
