//! An engine for Cornered's TrapGrid in Rust: alpha-beta over the Universal Game Interface (docs/engines.md).
//!
//!     rustc --edition 2021 -O -o engine examples/ugi_engine.rs
//!     cornered match exec:./engine random --game trapgrid --games 10
//!
//! Needs the standard library alone. A thread searches while the main thread reads; `isready` is answered at once, and
//! every other line ends the search first. The same engine is beside it in C, Go, JavaScript and Python.

use std::io::{stdin, stdout, Write};
use std::sync::mpsc::{channel, Receiver, Sender, TryRecvError};
use std::thread::{spawn, JoinHandle};
use std::time::{Duration, Instant};

const WIN: i64 = 10_000;
const LEAST_WIN: i64 = 9_000;
const DEPTH_MAX: u64 = 64;
const WIDTH: usize = 10; // The board has a border of blocked cells: a1 is cell 11, and b1 is cell 12.

#[derive(Clone)]
struct Position {
    free: [bool; WIDTH * WIDTH],
    pawns: [usize; 2],
    turn: usize,
}

impl Position {
    /// Reads rows from the top, joined by slashes: `0` and `1` are pawns, `.` is free, all else is blocked.
    fn read(rows: &str, turn: usize) -> Self {
        let mut position = Position { free: [false; WIDTH * WIDTH], pawns: [WIDTH + 1; 2], turn };
        for (above, row) in rows.rsplit('/').enumerate() {
            for (before, mark) in row.chars().enumerate() {
                let cell = WIDTH * (above + 1) + before + 1;
                position.free[cell] = mark == '.';
                if let '0' | '1' = mark {
                    position.pawns[(mark == '1') as usize] = cell;
                }
            }
        }
        position
    }

    fn start(size: usize) -> Self {
        let rest = ".".repeat(size - 1);
        Self::read(&format!("0{rest}{}/{rest}1", format!("/.{rest}").repeat(size - 2)), 0)
    }

    fn moves(&self, seat: usize) -> Vec<usize> {
        let pawn = self.pawns[seat];
        [pawn + WIDTH, pawn - WIDTH, pawn - 1, pawn + 1].into_iter().filter(|&cell| self.free[cell]).collect()
    }

    fn play(&mut self, cell: usize) {
        self.free[cell] = false;
        self.pawns[self.turn] = cell;
        self.turn = 1 - self.turn;
    }

    fn answer(&self, asked: &str) -> String {
        let is_over = self.moves(self.turn).is_empty();
        match asked {
            "p1turn" => (!is_over && self.turn == 0).to_string(),
            "p2turn" => (!is_over && self.turn == 1).to_string(),
            "gameover" => is_over.to_string(),
            _ if is_over => format!("p{}win", 2 - self.turn),
            _ => "none".to_string(),
        }
    }
}

fn name(cell: usize) -> String {
    format!("{}{}", char::from(b'`' + (cell % WIDTH) as u8), cell / WIDTH)
}

/// The search of one `go`: deeper and deeper until a limit, the end of the game, or the end of the sender of `stop`.
struct Search {
    here: Position,
    stop: Receiver<()>,
    nodes: u64,
    nodes_max: u64,
    deadline: Option<Instant>,
    is_over: bool,
}

impl Search {
    fn new(here: Position, stop: Receiver<()>, words: &[String]) -> Self {
        let player = format!("p{}", here.turn + 1);
        let clock = number(words, &format!("{player}time"))
            .map(|left| left / 20 + number(words, &format!("{player}inc")).unwrap_or(0) / 2);
        let time = number(words, "movetime").into_iter().chain(clock).min();
        let deadline = time.map(|time| Instant::now() + Duration::from_millis(time));
        Search { here, stop, nodes: 0, nodes_max: number(words, "nodes").unwrap_or(u64::MAX), deadline, is_over: false }
    }

    fn run(mut self, words: &[String]) {
        let began = Instant::now();
        let mut best = self.here.moves(self.here.turn).first().copied();
        for depth in 1..=number(words, "depth").unwrap_or(DEPTH_MAX) {
            let (score, found) = self.value(depth, -WIN, WIN, 0);
            let Some(found) = found.filter(|_| !self.is_over) else { break };
            best = Some(found);
            let is_won = score.abs() > LEAST_WIN;
            let told = if is_won { format!("mate {}", WIN * score.signum() - score) } else { format!("cp {score}") };
            let spent = began.elapsed().as_millis();
            say(&format!("info depth {depth} nodes {} time {spent} score {told} pv {}", self.nodes, name(found)));
            if is_won {
                break;
            }
        }
        if words.iter().any(|word| word == "infinite") {
            let _ = self.stop.recv();
        }
        say(&format!("bestmove {}", best.map_or("none".to_string(), name)));
    }

    /// Returns the score for the player to move, and the move: free steps of the one less those of the other.
    fn value(&mut self, depth: u64, mut alpha: i64, beta: i64, ply: i64) -> (i64, Option<usize>) {
        self.nodes += 1;
        if self.nodes > self.nodes_max || self.nodes % 1024 == 0 && self.is_ending() {
            self.is_over = true;
            return (0, None);
        }
        let seat = self.here.turn;
        let found = self.here.moves(seat);
        if found.is_empty() {
            return (ply - WIN, None);
        }
        if depth == 0 {
            return (100 * (found.len() as i64 - self.here.moves(1 - seat).len() as i64), None);
        }
        let (mut best, came_from) = (found[0], self.here.pawns[seat]);
        for cell in found {
            self.here.play(cell);
            let score = -self.value(depth - 1, -beta, -alpha, ply + 1).0;
            self.here.free[cell] = true;
            self.here.pawns[seat] = came_from;
            self.here.turn = seat;
            if self.is_over {
                return (0, None);
            }
            if score > alpha {
                (alpha, best) = (score, cell);
            }
            if alpha >= beta {
                break;
            }
        }
        (alpha, Some(best))
    }

    fn is_ending(&self) -> bool {
        self.stop.try_recv() == Err(TryRecvError::Disconnected) || self.deadline.is_some_and(|end| Instant::now() > end)
    }
}

/// Returns the number after a word of `go`.
fn number(words: &[String], name: &str) -> Option<u64> {
    words.iter().skip_while(|word| *word != name).nth(1)?.parse().ok()
}

fn say(text: &str) {
    println!("{text}");
    stdout().flush().expect("the output is closed");
}

fn main() {
    let (mut size, mut here) = (7, Position::start(7));
    let mut searching: Option<(Sender<()>, JoinHandle<()>)> = None;
    for line in stdin().lines().map_while(Result::ok) {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let read: Vec<&str> = words.iter().map(String::as_str).collect();
        if read == ["isready"] {
            say("readyok");
            continue;
        }
        if let Some((stop, thread)) = searching.take() {
            drop(stop);
            let _ = thread.join();
        }
        match read.as_slice() {
            ["ugi"] => {
                say("id name Steps in Rust\nid author the authors of Cornered");
                say("option name Game type combo default trapgrid var trapgrid\nugiok");
            }
            ["setoption", "name", "size", "value", value] => {
                size = value.parse().unwrap_or(size).clamp(3, 8);
                here = Position::start(size);
            }
            ["position", kind, rest @ ..] => {
                here = match rest {
                    [rows, turn, ..] if *kind == "fen" => Position::read(rows, (*turn == "1") as usize),
                    _ => Position::start(size),
                };
                for word in read.iter().skip_while(|word| **word != "moves").skip(1) {
                    let (file, rank) = (word.as_bytes()[0] - b'`', word.as_bytes()[1] - b'0');
                    here.play(WIDTH * rank as usize + file as usize);
                }
            }
            ["go", ..] => {
                let (stop, stopped) = channel();
                let search = Search::new(here.clone(), stopped, &words);
                searching = Some((stop, spawn(move || search.run(&words))));
            }
            ["query", asked] => say(&format!("response {}", here.answer(asked))),
            ["quit"] => return,
            _ => {}
        }
    }
}
