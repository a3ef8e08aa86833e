/** Input by mouse, touch and keyboard on a board. Legal moves come from the server's hints. */

import { announce, set } from "./dom.js";
import { isCell, parseWall, wallName } from "./position.js";
import { sentence } from "./words.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {(text: string) => void} Told */
/**
 * `typed` gets the text typed so far, `armed` the wall that waits for its second tap, or null.
 * @typedef {{play: Told, explain: Told, typed: Told, mayPlay: () => boolean, seat: () => number, armed: (wall: string | null) => void}} Wishes
 */

const DRAG_DISTANCE_PX = 8;
const MOVE_KEY = /^[a-mpsv0-9]$/;

export class Hand {
  /** @param {Board} board @param {Wishes} wishes */
  constructor(board, wishes) {
    this.board = board;
    this.wishes = wishes;
    this.touch = false;
    this.walls = false;
    this.lies = true;
    this.buffer = "";
    /** @type {string | null} */
    this.armed = null;
    /** @type {string | null} the crossing at which the wall was turned against the pointer */
    this.turnedAt = null;
    this.aim = 0;
    /** The cell of the last arrow key; from any other cell a new column begins. */
    this.walked = "";
    /** @type {{from: string, x: number, y: number, moving: boolean} | null} */
    this.drag = null;
    this.dragged = false;
    set(board.element, {
      on: {
        pointerdown: (event) => this.#down(event),
        pointermove: (event) => this.#move(event),
        pointerup: (event) => this.#up(event),
        pointercancel: () => this.#drop(),
        pointerleave: () => this.#rest(),
        click: (event) => this.#click(event),
        focusin: (event) => {
          const name = cellOf(event);
          if (name) board.focus(name, false);
        },
      },
    });
  }

  /** Discard unfinished input when the position changes. */
  reset() {
    this.#arm(null);
    this.#drop();
    this.turnedAt = null;
    if (this.walls && this.wishes.mayPlay()) this.#showWall();
    else this.walls = false;
  }

  get hasWalls() {
    return [...this.board.hints.moves].some((move) => parseWall(move));
  }

  /** The move at a pointer, or null. @param {{clientX: number, clientY: number}} event */
  #meant(event) {
    const { board } = this;
    const { x, y } = board.point(event);
    const cell = board.layout.cellAt(x, y);
    if (board.layout.walled && this.hasWalls) {
      const target = cell !== null && board.hints.moves.has(cell);
      const wall = board.layout.wallAt(x, y, this.touch ? (target ? 18 : 40) : target ? 14 : 34);
      if (wall) return this.#turn(wall);
    }
    return cell;
  }

  /** Turn a wall the other way where R was pressed. @param {string} wall */
  #turn(wall) {
    const crossing = wall.slice(0, -1);
    if (this.turnedAt?.slice(0, -1) !== crossing) {
      this.turnedAt = null;
      return wall;
    }
    return this.turnedAt;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.touch = event.pointerType === "touch";
    this.dragged = false;
    if (event.button !== 0 || this.touch || !this.wishes.mayPlay()) return;
    const { x, y } = this.board.point(event);
    const from = this.board.layout.cellAt(x, y);
    if (from && this.board.pieces.get(from)?.seat === this.wishes.seat() && [...this.board.hints.moves].some(isCell)) {
      this.drag = { from, x: event.clientX, y: event.clientY, moving: false };
    }
  }

  /** @param {PointerEvent} event */
  #move(event) {
    this.touch = event.pointerType === "touch";
    if (this.touch || !this.wishes.mayPlay()) return;
    if (this.drag) {
      const far = Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) > DRAG_DISTANCE_PX;
      if (far && !this.drag.moving) {
        this.drag.moving = true;
        this.board.element.setPointerCapture(event.pointerId);
      }
      if (this.drag.moving) {
        const { x, y } = this.board.point(event);
        const element = this.board.pieces.get(this.drag.from)?.element;
        element?.classList.add("dragged");
        if (element) element.style.transform = `translate(${x}px, ${y}px)`;
        return;
      }
    }
    this.#hover(this.#meant(event));
  }

  /** @param {string | null} move */
  #hover(move) {
    const { board } = this;
    if (!move) {
      this.#rest();
      return;
    }
    const legal = board.hints.moves.has(move);
    const wall = parseWall(move);
    board.element.classList.toggle("pointing", legal);
    if (legal || wall) board.ghost(move, this.wishes.seat(), legal ? "hover" : "wrong");
    else this.#rest();
    const about = board.hints.refused[move] ?? board.hints.notes[move];
    if (about) this.wishes.explain(`${move}: ${sentence(about)}`);
  }

  /** Remove the preview. */
  #rest() {
    this.board.element.classList.remove("pointing");
    if (!this.wishes.mayPlay()) return;
    if (this.armed) this.board.ghost(this.armed, this.wishes.seat(), "armed");
    else if (this.walls) this.#showWall();
    else this.board.clearGhost();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag?.moving) return;
    this.dragged = true;
    const { x, y } = this.board.point(event);
    const cell = this.board.layout.cellAt(x, y);
    this.#settle(drag.from);
    if (cell && cell !== drag.from) this.#try(cell);
  }

  #drop() {
    if (this.drag?.moving) this.#settle(this.drag.from);
    this.drag = null;
  }

  /** Put a dragged piece back where it stands. @param {string} from */
  #settle(from) {
    const place = this.board.layout.byName.get(from);
    const element = this.board.pieces.get(from)?.element;
    element?.classList.remove("dragged");
    if (element && place) element.style.transform = `translate(${place.x}px, ${place.y}px)`;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    if (!this.wishes.mayPlay()) return;
    // A screen reader's click has no coordinates, only a target.
    const direct = event.detail === 0 && cellOf(event);
    const move = direct || this.#meant(event);
    if (!move) return;
    if (this.touch && !direct) this.#tap(event, move);
    else this.#try(move);
  }

  /** The first tap on a wall shows it, the second places it. @param {MouseEvent} event @param {string} move */
  #tap(event, move) {
    if (this.armed && (move === this.armed || this.#isNear(event, this.armed))) {
      this.#try(this.armed);
    } else if (parseWall(move)) {
      this.#arm(move);
    } else {
      this.#arm(null);
      this.#try(move);
    }
  }

  /** @param {MouseEvent} event @param {string} wall */
  #isNear(event, wall) {
    const rect = this.board.layout.wall(wall);
    const { x, y } = this.board.point(event);
    const by = 22;
    return Boolean(
      rect && x > rect.x - by && x < rect.x + rect.width + by && y > rect.y - by && y < rect.y + rect.height + by,
    );
  }

  /** @param {string | null} wall */
  #arm(wall) {
    this.armed = wall;
    this.wishes.armed(wall);
    if (!wall) {
      this.board.clearGhost();
      return;
    }
    const legal = this.board.hints.moves.has(wall);
    this.board.ghost(wall, this.wishes.seat(), legal ? "armed" : "wrong");
  }

  /** Place the armed wall. */
  place() {
    const wall = this.armed;
    if (wall) this.#try(wall);
  }

  /** Play a move, or show the server's reason against it. @param {string} move */
  #try(move) {
    const { hints, pieces } = this.board;
    if (pieces.get(move)?.seat === this.wishes.seat() && !hints.moves.has(move)) return;
    if (hints.refused[move]) this.wishes.explain(`${move}: ${sentence(hints.refused[move])}`);
    else this.wishes.play(move);
  }

  /** Turn the previewed wall. */
  turn() {
    this.lies = !this.lies;
    if (this.armed) {
      this.#arm(this.armed.slice(0, -1) + (this.armed.endsWith("h") ? "v" : "h"));
      return;
    }
    const shown = this.board.ghostSign.split(" ")[0];
    if (this.walls) this.#showWall();
    else if (parseWall(shown)) {
      this.turnedAt = shown.slice(0, -1) + (shown.endsWith("h") ? "v" : "h");
      this.#hover(this.turnedAt);
    }
  }

  /** The wall at the focus ring: the ring's cell is the one nearest a1 of the four that it touches. */
  #ringWall() {
    const { layout, focused } = this.board;
    const file = Math.min(focused.charCodeAt(0) - 97, layout.width - 2);
    const rank = Math.min(Number(focused.slice(1)) - 1, layout.height - 2);
    return wallName(file, rank, this.lies);
  }

  #showWall() {
    const wall = this.#ringWall();
    const legal = this.board.hints.moves.has(wall);
    this.board.ghost(wall, this.wishes.seat(), legal ? "armed" : "wrong");
    return `wall ${wall}, ${legal ? "playable" : "not playable"}`;
  }

  /** Handle a key; returns whether it was used. @param {KeyboardEvent} event */
  key(event) {
    const { board } = this;
    const { key } = event;
    if (key.startsWith("Arrow")) {
      if (board.focused !== this.walked) this.aim = board.layout.byName.get(board.focused)?.x ?? 0;
      const to = board.layout.step(board.focused, key, this.aim);
      this.walked = to;
      board.focus(to);
      if (key === "ArrowLeft" || key === "ArrowRight") this.aim = board.layout.byName.get(to)?.x ?? 0;
      if (this.walls) announce(this.#showWall());
      return true;
    }
    if (key === "Enter" || key === " ") return this.#enter();
    if (key === "Escape") return this.#escape();
    if (key === "Backspace" && this.buffer) {
      this.#type(this.buffer.slice(0, -1));
      return true;
    }
    const letter = key.toLowerCase();
    if (letter === "w" && board.layout.walled) {
      if (!this.wishes.mayPlay()) return true;
      this.walls = !this.walls && this.hasWalls;
      if (this.walls) {
        board.focus(board.focused);
        announce(`Walls. ${this.#showWall()}. R turns it, Enter places it.`);
      } else {
        board.clearGhost();
        announce("Pawn");
      }
      return true;
    }
    if (letter === "r" && board.layout.walled) {
      this.turn();
      if (this.walls) announce(this.#showWall());
      return true;
    }
    if (MOVE_KEY.test(letter) && this.wishes.mayPlay()) {
      this.#type(this.buffer + letter);
      return true;
    }
    return false;
  }

  #enter() {
    if (!this.wishes.mayPlay()) return false;
    if (this.buffer) {
      const move = this.buffer;
      this.#type("");
      this.#try(move);
    } else if (this.armed) this.place();
    else if (this.walls) this.#try(this.#ringWall());
    else if (hasFocus(this.board)) this.#try(this.board.focused);
    else return false;
    return true;
  }

  #escape() {
    if (!this.buffer && !this.armed && !this.walls) return false;
    this.walls = false;
    this.#type("");
    this.#arm(null);
    return true;
  }

  /** @param {string} text */
  #type(text) {
    this.buffer = text.slice(0, 6);
    this.wishes.typed(this.buffer);
    if (this.board.hints.moves.has(this.buffer)) this.board.ghost(this.buffer, this.wishes.seat(), "armed");
    else this.board.clearGhost();
  }
}

/** The cell in which an event happened. @param {Event} event */
function cellOf(event) {
  return /** @type {Element} */ (event.target).closest("[data-cell]")?.getAttribute("data-cell");
}

/** @param {Board} board */
function hasFocus(board) {
  return board.element.contains(document.activeElement);
}
