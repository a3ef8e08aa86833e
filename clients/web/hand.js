/** Input by mouse, touch and keyboard on a board. Legal moves come from the server's hints. */

import { announce, set } from "./dom.js";
import { PITCH } from "./geometry.js";
import { t, told } from "./language.js";
import { parseWall, wallName } from "./position.js";
import { settings } from "./settings.js";
import { sentence } from "./words.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {(text: string) => void} Told */
/**
 * `typed` gets the text typed so far, `armed` the move that waits for its second tap, or null; `beside` gets the reason
 * against the move whose ghost is shown, or nothing. `mayPlan` says that a premove may be chosen, and `hasStock` that it may
 * be a wall: before one's turn no hints say that.
 * @typedef {{play: Told, explain: Told, typed: Told, beside: Told, mayPlay: () => boolean, mayPlan?: () => boolean, hasStock?: () => boolean, seat: () => number, armed: (move: string | null) => void}} Wishes
 */

const DRAG_DISTANCE_PX = 8;
/** How far above a finger the wall or the piece that it drags is, so that it can be seen. */
const LIFT_PX = 48;
/** Cells that are smaller than this are hit by a finger only by luck, so that a second tap confirms the move. */
const SMALL_CELL_PX = 36;
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
    /** @type {string | null} a premove: the move to make when the turn comes */
    this.planned = null;
    /** @type {string | null} the crossing at which the wall was turned against the pointer */
    this.turnedAt = null;
    this.aim = 0;
    /** The cell of the last arrow key; from any other cell a new column begins. */
    this.walked = "";
    /** @type {{from: string, pointer: number, x: number, y: number, moving: boolean} | null} */
    this.drag = null;
    this.dragged = false;
    set(board.element, {
      // Chromium makes a stop of the Tab key of every SVG element that listens for focus.
      tabindex: -1,
      on: {
        pointerdown: (event) => this.#down(event),
        pointermove: (event) => this.#move(event),
        pointerup: (event) => this.#up(event),
        pointercancel: (event) => this.#drop(event),
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
    if (this.walls && this.#acts) this.#showWall();
    else this.walls = false;
    if (this.planned) this.showPlan();
  }

  /** Discard what was chosen for positions that will not come: the premove, the typed text, the wall. */
  forget() {
    this.planned = null;
    this.walls = false;
    this.#type("");
    this.reset();
  }

  /** Whether a premove may be chosen. */
  get #plans() {
    return !this.wishes.mayPlay() && (this.wishes.mayPlan?.() ?? false);
  }

  /** Whether a move may be chosen, now or for one's turn. */
  get #acts() {
    return this.wishes.mayPlay() || this.#plans;
  }

  get hasWalls() {
    if (this.#plans) return this.board.layout.walled && (this.wishes.hasStock?.() ?? false);
    return [...this.board.hints.moves].some((move) => parseWall(move));
  }

  /** The move at a pointer, or null. @param {{clientX: number, clientY: number}} event */
  #meant(event) {
    const { board } = this;
    const { x, y } = board.point(event);
    const cell = board.layout.cellAt(x, y);
    if (board.layout.walled && this.hasWalls) {
      const target = cell !== null && (this.#plans || board.hints.moves.has(cell));
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
    // A second finger drags nothing.
    if (event.button !== 0 || !event.isPrimary || !this.wishes.mayPlay()) return;
    const { x, y } = this.board.point(event);
    const from = this.board.layout.cellAt(x, y);
    if (from && this.board.isMovable(from))
      this.drag = { from, pointer: event.pointerId, x: event.clientX, y: event.clientY, moving: false };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    this.touch = event.pointerType === "touch";
    if (this.drag?.pointer === event.pointerId && this.wishes.mayPlay()) {
      const far = Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) > DRAG_DISTANCE_PX;
      if (far && !this.drag.moving) {
        this.drag.moving = true;
        this.board.element.setPointerCapture(event.pointerId);
      }
      if (this.drag.moving) {
        this.#carry(this.drag.from, event);
        return;
      }
    }
    if (!this.touch && this.#acts) this.#hover(this.#meant(event));
  }

  /** Draw a piece where it is dragged, and under a finger, which hides it, the cell that it would go to. @param {string} from @param {PointerEvent} event */
  #carry(from, { clientX, clientY }) {
    const { board } = this;
    const { x, y } = board.point({ clientX, clientY: this.touch ? clientY - LIFT_PX : clientY });
    const element = board.pieces.get(from)?.element;
    element?.classList.add("dragged");
    if (element) element.style.transform = `translate(${x}px, ${y}px)`;
    if (!this.touch) return;
    const under = board.point({ clientX, clientY });
    const cell = board.layout.cellAt(under.x, under.y);
    if (cell && board.hints.moves.has(cell)) this.#ghost(cell, "armed");
    else this.#clearGhost();
  }

  /** @param {string | null} move */
  #hover(move) {
    const { board } = this;
    const wall = move && parseWall(move);
    // Before one's turn a cell's ghost would look like a piece that moves already.
    if (!move || (this.#plans && !wall)) {
      this.#rest();
      return;
    }
    const legal = board.hints.moves.has(move);
    board.element.classList.toggle("pointing", legal);
    if (legal || wall) this.#ghost(move, "hover");
    else this.#rest();
    const about = board.hints.refused[move] ?? board.hints.notes[move];
    if (about && !wall) this.wishes.explain(`${move}: ${sentence(about)}`);
  }

  /** Show a move's ghost, and beside an illegal one the reason. @param {string} move @param {"hover" | "armed"} state */
  #ghost(move, state) {
    const { hints } = this.board;
    if (this.#plans) {
      this.board.ghost(move, this.wishes.seat(), move === this.planned ? "unsent" : state);
      return true;
    }
    const legal = hints.moves.has(move);
    this.board.ghost(move, this.wishes.seat(), legal ? state : "wrong");
    this.wishes.beside(legal ? "" : sentence(hints.refused[move] ?? ""));
    return legal;
  }

  /** Show no move but the premove. */
  #clearGhost() {
    if (this.#plans) this.showPlan();
    else this.board.clearGhost();
    this.wishes.beside("");
  }

  /** Remove the preview. */
  #rest() {
    this.board.element.classList.remove("pointing");
    if (!this.#acts) return;
    if (this.armed) this.#ghost(this.armed, "armed");
    else if (this.walls) this.#showWall();
    else this.#clearGhost();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { drag } = this;
    if (drag?.pointer !== event.pointerId) return;
    this.drag = null;
    if (!drag.moving) return;
    this.dragged = true;
    const { x, y } = this.board.point(event);
    const cell = this.board.layout.cellAt(x, y);
    this.#settle(drag.from);
    if (this.touch) this.#rest();
    if (!cell || cell === drag.from) return;
    const { moves, refused } = this.board.hints;
    const legal = moves.has(cell);
    if (this.touch && legal && this.#confirms) this.#arm(cell);
    else if (legal || refused[cell] || !this.touch) this.#try(cell);
  }

  /** End a drag without a move. @param {PointerEvent} [event] that of one pointer, which may be another than drags */
  #drop(event) {
    if (event && event.pointerId !== this.drag?.pointer) return;
    if (this.drag?.moving) {
      this.#settle(this.drag.from);
      if (event) this.#rest();
    }
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
    // A screen reader's click has no coordinates, only a target.
    const direct = event.detail === 0 && cellOf(event);
    const move = direct || this.#meant(event);
    if (!move) return;
    if (!this.wishes.mayPlay()) {
      if (this.#plans) this.#plan(move);
      return;
    }
    if (!direct && (this.touch || settings.confirm === "always")) this.#tap(event, move);
    else this.#try(move);
  }

  /** Choose a premove, or with the same move again none. @param {string} move */
  #plan(move) {
    if (!this.#isOnBoard(move)) {
      this.wishes.explain(t("{move} is no move on this board.", { move }));
      return;
    }
    this.walls = false;
    this.planned = move === this.planned ? null : move;
    this.#clearGhost();
    const words = this.planned
      ? t("{move} is played when your turn comes, if it is legal then. The same move again, or Escape, cancels it.", { move })
      : t("No move is chosen for your turn.");
    this.wishes.explain(words);
  }

  /** Whether the board has such a cell, or a place for such a wall. @param {string} move */
  #isOnBoard(move) {
    const { byName, width, height } = this.board.layout;
    const wall = parseWall(move);
    return byName.has(move) || (this.hasWalls && wall !== null && wall.file < width - 1 && wall.rank < height - 1);
  }

  /** Show the premove. */
  showPlan() {
    if (this.planned) this.board.ghost(this.planned, this.wishes.seat(), "unsent");
    else this.board.clearGhost();
  }

  /** Make the premove, now that the legal moves of one's turn are known. */
  due() {
    const move = this.planned;
    if (!this.wishes.mayPlay()) return;
    if (!move) {
      // What was shown before one's turn did not say yet whether it is legal.
      if (this.walls) this.#showWall();
      return;
    }
    this.planned = null;
    if (this.board.hints.moves.has(move)) this.wishes.play(move);
    else {
      this.board.clearGhost();
      this.wishes.explain(t("{move}, which you had chosen, is not legal now.", { move }));
    }
  }

  /** Whether a legal move to a cell needs a second tap. */
  get #confirms() {
    if (settings.confirm !== "auto") return settings.confirm === "always";
    return PITCH * (this.board.element.getScreenCTM()?.a ?? 1) < SMALL_CELL_PX;
  }

  /** The first tap on a wall, or on a small cell, shows the move, the second makes it. @param {MouseEvent} event @param {string} move */
  #tap(event, move) {
    if (this.armed && (move === this.armed || this.#isNear(event, this.armed))) {
      this.#try(this.armed);
    } else if (parseWall(move) || (this.#confirms && this.board.hints.moves.has(move))) {
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

  /** @param {string | null} move */
  #arm(move) {
    this.armed = move;
    this.wishes.armed(move);
    if (move) this.#ghost(move, "armed");
    else this.#clearGhost();
  }

  /** Make the armed move. */
  place() {
    if (this.armed) this.#try(this.armed);
  }

  /** Play a move, or show the server's reason against it; before one's turn, choose it. @param {string} move */
  #try(move) {
    if (this.#plans) {
      this.#plan(move);
      return;
    }
    const { hints, pieces } = this.board;
    if (pieces.get(move)?.seat === this.wishes.seat() && !hints.moves.has(move)) return;
    if (hints.refused[move]) this.wishes.explain(`${move}: ${sentence(hints.refused[move])}`);
    else this.wishes.play(move);
  }

  /** Turn the previewed wall. */
  turn() {
    this.lies = !this.lies;
    if (this.armed && parseWall(this.armed)) {
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

  /** Drag a wall from its rack over the board. @param {PointerEvent} event */
  take(event) {
    if (event.button !== 0 || !this.#acts || !this.hasWalls) return;
    event.preventDefault();
    const isTouch = event.pointerType === "touch";
    const dragging = new AbortController();
    const { signal } = dragging;
    const wallAt = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const { x, y } = this.board.point({ clientX, clientY: isTouch ? clientY - LIFT_PX : clientY });
      const wall = this.board.layout.wallAt(x, y, PITCH / 2);
      return wall && this.#turn(wall);
    };
    const move = (/** @type {PointerEvent} */ now) => {
      const wall = wallAt(now);
      if (wall) this.#ghost(wall, "armed");
      else this.#clearGhost();
    };
    const drop = (/** @type {PointerEvent} */ now) => {
      dragging.abort();
      const wall = wallAt(now);
      this.#clearGhost();
      // What a finger dropped can still be turned and moved.
      if (wall && isTouch && !this.#plans) this.#arm(wall);
      else if (wall) this.#try(wall);
    };
    const cancel = () => {
      dragging.abort();
      this.#clearGhost();
    };
    addEventListener("pointermove", move, { signal });
    addEventListener("pointerup", drop, { signal });
    addEventListener("pointercancel", cancel, { signal });
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
    const legal = this.#ghost(wall, "armed");
    if (this.#plans) return t("wall {wall}", { wall });
    if (legal) return t("wall {wall}, playable", { wall });
    const { [wall]: reason } = this.board.hints.refused;
    return t("wall {wall}, {reason}", { wall, reason: reason ? told(reason) : t("not playable") });
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
      if (!this.#acts) return true;
      this.walls = !this.walls && this.hasWalls;
      if (this.walls) {
        board.focus(board.focused);
        announce(t("Walls. {wall}. R turns it, Enter places it.", { wall: this.#showWall() }));
      } else {
        this.#clearGhost();
        announce(t("Pawn"));
      }
      return true;
    }
    if (letter === "r" && board.layout.walled) {
      this.turn();
      if (this.walls) announce(this.#showWall());
      return true;
    }
    if (MOVE_KEY.test(letter) && this.#acts) {
      this.#type(this.buffer + letter);
      return true;
    }
    return false;
  }

  #enter() {
    if (!this.#acts) return false;
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
    if (!this.buffer && !this.armed && !this.walls) {
      if (!this.planned || !this.#plans) return false;
      this.#plan(this.planned);
      return true;
    }
    this.walls = false;
    this.#type("");
    this.#arm(null);
    return true;
  }

  /** @param {string} text */
  #type(text) {
    this.buffer = text.slice(0, 6);
    this.wishes.typed(this.buffer);
    if (this.board.hints.moves.has(this.buffer) || (this.#plans && this.#isOnBoard(this.buffer))) this.#ghost(this.buffer, "armed");
    else this.#clearGhost();
  }
}

/** The cell in which an event happened. @param {Event} event */
export function cellOf(event) {
  return /** @type {Element} */ (event.target).closest("[data-cell]")?.getAttribute("data-cell");
}

/** @param {Board} board */
function hasFocus(board) {
  return board.element.contains(document.activeElement);
}
