// Players without a browser, who speak HTTP: opponents for the one that is tested.

export const SEATS = /** @type {const} */ (['red', 'blue', 'yellow', 'green']);

/** @typedef {typeof SEATS[number]} Seat */
/** @typedef {{ id: string, name: string, guest: boolean }} PlayerInfo */

export class HttpPlayer {
  /** @param {string} url @param {{ player: PlayerInfo, token: string }} identity */
  constructor(url, identity) {
    this.url = url;
    this.identity = identity;
  }

  /** @param {string} url @param {string} [name] */
  static async guest(url, name) {
    const response = await fetch(`${url}/v1/guests`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(name ? { name } : {}),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`no guest: ${JSON.stringify(answer)}`);
    return new HttpPlayer(url, answer);
  }

  /** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
  async call(method, path, body) {
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.identity.token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = response.status === 204 ? null : await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Waits until a ticket has a game. @param {string} ticket @returns {Promise<any>} */
  async matched(ticket) {
    for (;;) {
      const found = await this.call('GET', `/tickets/${ticket}?wait_s=25`);
      if (found.status !== 'waiting') return found;
    }
  }
}

export const NAMES = { red: 'Marguerite', blue: 'Banyu_Adi', yellow: 'Noura', green: 'Arjun-K' };

/** A table that has just begun, and those of its players who have no browser. */
export class Table {
  /** @param {string} id @param {Record<Seat, HttpPlayer>} players */
  constructor(id, players) {
    this.id = id;
    this.players = players;
  }

  /**
   * @param {string} url
   * @param {{ control?: string, fen4?: string, visibility?: string }} [options]
   */
  static async start(url, { control = '10+5', fen4, visibility = 'public' } = {}) {
    const players = /** @type {Record<Seat, HttpPlayer>} */ (Object.fromEntries(
      await Promise.all(SEATS.map(async (seat) => [seat, await HttpPlayer.guest(url, NAMES[seat])]))));
    const open = { open: true };
    const game = await players.red.call('POST', '/games', {
      time_control: control,
      seats: { red: { me: true }, blue: open, yellow: open, green: open },
      visibility,
      ...(fen4 ? { start_fen4: fen4 } : {}),
    });
    for (const seat of SEATS.slice(1)) await players[seat].call('POST', `/games/${game.id}/seats`, { invite_code: game.invite_code, seat });
    return new Table(game.id, players);
  }

  /**
   * Four who found one another: a rated game.
   * @param {readonly HttpPlayer[]} players
   * @param {string} [control]
   */
  static async rated(players, control = '3+2') {
    const tickets = await Promise.all(players.map((player) => player.call('POST', '/tickets', { time_control: control, rated: true })));
    const matched = await Promise.all(tickets.map(({ id }, i) => players[i].matched(id)));
    return new Table(matched[0].game_id, /** @type {Record<Seat, HttpPlayer>} */ (Object.fromEntries(matched.map(({ seat }, i) => [seat, players[i]]))));
  }

  /** @returns {Promise<any>} */
  state() {
    return Object.values(this.players)[0].call('GET', `/games/${this.id}?include=legal_moves`);
  }

  /** Waits until the army to move has a player, and one of these. @returns {Promise<any>} the state then, or of a game that is over */
  async ready() {
    for (;;) {
      const state = await this.state();
      if (state.status !== 'running' || (state.seats[state.turn].army === 'playing' && state.turn in this.players)) return state;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The army to move makes this move. @param {string} move */
  async move(move) {
    const { ply, turn } = await this.ready();
    return this.players[/** @type {Seat} */ (turn)].call('POST', `/games/${this.id}/moves`, { ply, move });
  }

  /** @param {readonly string[]} moves */
  async moves(moves) {
    for (const move of moves) await this.move(move);
  }

  /** @param {Seat} seat */
  resign(seat) {
    return this.players[seat].call('POST', `/games/${this.id}/resignation`);
  }
}
