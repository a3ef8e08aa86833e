// An engine for Cornered's TrapGrid in JavaScript: alpha-beta over the Universal Game Interface (docs/engines.md).
//
//     cornered match "exec:node examples/ugi_engine.mjs" random --game trapgrid --games 10
//
// Needs Node.js alone. A worker thread searches while the main thread reads; `isready` is answered at once, and every
// other line ends the search first. The same engine is beside it in C, Go, Python and Rust.

import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const WIN = 10_000;
const LEAST_WIN = 9_000;
const DEPTH_MAX = 64;
const WIDTH = 10; // The board has a border of blocked cells: a1 is cell 11, and b1 is cell 12.
const STEPS = [WIDTH, -WIDTH, -1, 1];

/** Read rows from the top, joined by slashes: `0` and `1` are pawns, `.` is free, all else is blocked. */
function positionOf(rows, turn = 0) {
  const position = { free: Array(WIDTH * WIDTH).fill(false), pawns: [0, 0], turn };
  for (const [above, row] of rows.split("/").toReversed().entries()) {
    for (const [before, mark] of [...row].entries()) {
      const cell = WIDTH * (above + 1) + before + 1;
      position.free[cell] = mark === ".";
      if (mark === "0" || mark === "1") position.pawns[Number(mark)] = cell;
    }
  }
  return position;
}

function start(size) {
  const rest = ".".repeat(size - 1);
  return positionOf([`0${rest}`, ...Array(size - 2).fill(`.${rest}`), `${rest}1`].join("/"));
}

const moves = ({ free, pawns }, seat) => STEPS.map((step) => pawns[seat] + step).filter((cell) => free[cell]);

const nameOf = (cell) => " abcdefgh"[cell % WIDTH] + Math.floor(cell / WIDTH);

function play(position, cell) {
  position.free[cell] = false;
  position.pawns[position.turn] = cell;
  position.turn = 1 - position.turn;
}

/** The search of one `go`: deeper and deeper until a limit, the end of the game or `stopped[0]`. */
function search(position, words, stopped, say) {
  const number = (word) => (words.includes(word) ? Number(words[words.indexOf(word) + 1]) : Infinity);
  const player = `p${position.turn + 1}`;
  const gain = words.includes(`${player}inc`) ? number(`${player}inc`) : 0;
  const clock = Math.floor(number(`${player}time`) / 20) + Math.floor(gain / 2);
  const began = performance.now();
  const deadline = began + Math.min(number("movetime"), clock);
  const nodesMax = number("nodes");
  let nodes = 0;
  let isOver = false;

  // Returns the score for the player to move, and the move: free steps of the one less those of the other.
  function value(depth, low, beta, ply) {
    nodes += 1;
    if (nodes > nodesMax || (nodes % 256 === 0 && (performance.now() > deadline || Atomics.load(stopped, 0)))) {
      isOver = true;
    }
    const found = moves(position, position.turn);
    if (isOver) return [0];
    if (found.length === 0) return [ply - WIN];
    const seat = position.turn;
    if (depth === 0) return [100 * (found.length - moves(position, 1 - seat).length)];
    const cameFrom = position.pawns[seat];
    let [alpha, best] = [low, found[0]];
    for (const cell of found) {
      play(position, cell);
      const score = -value(depth - 1, -beta, -alpha, ply + 1)[0];
      position.free[cell] = true;
      position.pawns[seat] = cameFrom;
      position.turn = seat;
      if (isOver) return [0];
      if (score > alpha) [alpha, best] = [score, cell];
      if (alpha >= beta) break;
    }
    return [alpha, best];
  }

  let [best] = moves(position, position.turn);
  for (let depth = 1; best && depth <= Math.min(number("depth"), DEPTH_MAX); depth += 1) {
    const [score, move] = value(depth, -WIN, WIN, 0);
    if (isOver) break;
    best = move;
    const isWon = Math.abs(score) > LEAST_WIN;
    const told = isWon ? `mate ${(score > 0 ? WIN : -WIN) - score}` : `cp ${score}`;
    const spent = Math.round(performance.now() - began);
    say(`info depth ${depth} nodes ${nodes} time ${spent} score ${told} pv ${nameOf(best)}`);
    if (isWon) break;
  }
  if (words.includes("infinite")) Atomics.wait(stopped, 0, 0);
  say(`bestmove ${best ? nameOf(best) : "none"}`);
}

function answer(position, asked) {
  const isOver = moves(position, position.turn).length === 0;
  if (/^p[12]turn$/.test(asked)) return !isOver && Number(asked[1]) === position.turn + 1;
  if (asked === "gameover") return isOver;
  return isOver ? `p${2 - position.turn}win` : "none";
}

async function main() {
  const stopped = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: stopped });
  let [size, position, searching, finished] = [7, start(7), null, null];
  worker.on("message", (line) => {
    console.log(line);
    if (line.startsWith("bestmove")) finished();
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "isready") {
      console.log("readyok");
      continue;
    }
    if (searching) {
      Atomics.store(stopped, 0, 1);
      Atomics.notify(stopped, 0);
      await searching;
      searching = null;
    }
    if (words[0] === "ugi") {
      console.log("id name Steps in JavaScript\nid author the authors of Cornered");
      console.log("option name Game type combo default trapgrid var trapgrid\nugiok");
    } else if (words[0] === "setoption" && words[2] === "size") {
      size = Number(words[4]);
      position = start(size);
    } else if (words[0] === "position") {
      position = words[1] === "startpos" ? start(size) : positionOf(words[2], Number(words[3]));
      for (const move of words.includes("moves") ? words.slice(words.indexOf("moves") + 1) : []) {
        play(position, " abcdefgh".indexOf(move[0]) + WIDTH * Number(move[1]));
      }
    } else if (words[0] === "go") {
      Atomics.store(stopped, 0, 0);
      searching = new Promise((resolve) => {
        finished = resolve;
      });
      worker.postMessage({ position, words });
    } else if (words[0] === "query") {
      console.log(`response ${answer(position, words[1])}`);
    } else if (words[0] === "quit") {
      break;
    }
  }
  process.stdin.destroy();
  await worker.terminate();
}

if (isMainThread) {
  await main();
} else {
  const say = (line) => parentPort.postMessage(line);
  parentPort.on("message", ({ position, words }) => search(position, words, workerData, say));
}
