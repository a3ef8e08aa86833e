// An engine for Cornered's TrapGrid in Go: alpha-beta over the Universal Game Interface (docs/engines.md).
//
//	go build -o engine examples/ugi_engine.go
//	cornered match exec:./engine random --game trapgrid --games 10
//
// Needs the standard library alone. A goroutine searches while another reads; `isready` is answered at once, and every
// other line ends the search first. The same engine is beside it in C, JavaScript, Python and Rust.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	win      = 10_000
	leastWin = 9_000
	depthMax = 64
	width    = 10 // The board has a border of blocked cells: a1 is cell 11, and b1 is cell 12.
)

var steps = [4]int{width, -width, -1, 1}

type position struct {
	free  [width * width]bool
	pawns [2]int
	turn  int
}

// read takes rows from the top, joined by slashes: `0` and `1` are pawns, `.` is free, all else is blocked.
func read(text string, turn int) (p position) {
	p.turn = turn
	rows := strings.Split(text, "/")
	for above, row := range rows {
		for before, mark := range row {
			cell := width*(len(rows)-above) + before + 1
			p.free[cell] = mark == '.'
			if mark == '0' || mark == '1' {
				p.pawns[mark-'0'] = cell
			}
		}
	}
	return p
}

func start(size int) position {
	rest := strings.Repeat(".", size-1)
	return read("0"+rest+strings.Repeat("/."+rest, size-2)+"/"+rest+"1", 0)
}

func (p *position) moves(seat int) (found []int) {
	for _, step := range steps {
		if p.free[p.pawns[seat]+step] {
			found = append(found, p.pawns[seat]+step)
		}
	}
	return found
}

func (p *position) play(cell int) {
	p.free[cell] = false
	p.pawns[p.turn] = cell
	p.turn = 1 - p.turn
}

func name(cell int) string { return " abcdefgh"[cell%width:cell%width+1] + strconv.Itoa(cell/width) }

// search is that of one `go`: deeper and deeper until a limit, the end of the game or the end of `stop`.
type search struct {
	position
	stop            chan struct{}
	nodes, nodesMax int
	deadline        time.Time
	isOver          bool
}

func (s *search) run(words []string) {
	began, isInfinite := time.Now(), false
	limits := map[string]int{"movetime": math.MaxInt32, "nodes": math.MaxInt, "depth": depthMax}
	for at, word := range words {
		isInfinite = isInfinite || word == "infinite"
		if at+1 < len(words) {
			if number, err := strconv.Atoi(words[at+1]); err == nil {
				limits[word] = number
			}
		}
	}
	player := fmt.Sprintf("p%d", s.turn+1)
	if left, ok := limits[player+"time"]; ok {
		limits["movetime"] = min(limits["movetime"], left/20+limits[player+"inc"]/2)
	}
	s.nodesMax, s.deadline = limits["nodes"], began.Add(time.Duration(limits["movetime"])*time.Millisecond)
	best := "none"
	found := s.moves(s.turn)
	if len(found) > 0 {
		best = name(found[0])
	}
	for depth := 1; len(found) > 0 && depth <= limits["depth"]; depth++ {
		score, move := s.value(depth, -win, win, 0)
		if s.isOver {
			break
		}
		best = name(move)
		told := fmt.Sprintf("cp %d", score)
		if score > leastWin {
			told = fmt.Sprintf("mate %d", win-score)
		} else if score < -leastWin {
			told = fmt.Sprintf("mate %d", -win-score)
		}
		spent := time.Since(began).Milliseconds()
		fmt.Printf("info depth %d nodes %d time %d score %s pv %s\n", depth, s.nodes, spent, told, best)
		if strings.HasPrefix(told, "mate") {
			break
		}
	}
	if isInfinite {
		<-s.stop
	}
	fmt.Println("bestmove", best)
}

// value returns the score for the player to move, and the move: free steps of the one less those of the other.
func (s *search) value(depth, alpha, beta, ply int) (int, int) {
	s.nodes++
	if s.nodes > s.nodesMax || s.nodes%1024 == 0 && s.isEnding() {
		s.isOver = true
		return 0, 0
	}
	seat, found := s.turn, s.moves(s.turn)
	if len(found) == 0 {
		return ply - win, 0
	}
	if depth == 0 {
		return 100 * (len(found) - len(s.moves(1-seat))), 0
	}
	best, cameFrom := found[0], s.pawns[seat]
	for _, cell := range found {
		s.play(cell)
		score, _ := s.value(depth-1, -beta, -alpha, ply+1)
		s.free[cell], s.pawns[seat], s.turn = true, cameFrom, seat
		if s.isOver {
			return 0, 0
		}
		if -score > alpha {
			alpha, best = -score, cell
		}
		if alpha >= beta {
			break
		}
	}
	return alpha, best
}

func (s *search) isEnding() bool {
	select {
	case <-s.stop:
		return true
	default:
		return time.Now().After(s.deadline)
	}
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func answer(p position, asked string) string {
	isOver := len(p.moves(p.turn)) == 0
	switch asked {
	case "p1turn", "p2turn":
		return strconv.FormatBool(!isOver && int(asked[1]-'1') == p.turn)
	case "gameover":
		return strconv.FormatBool(isOver)
	}
	if isOver {
		return fmt.Sprintf("p%dwin", 2-p.turn)
	}
	return "none"
}

func main() {
	size, here := 7, start(7)
	var stop, done chan struct{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 1 && words[0] == "isready" {
			fmt.Println("readyok")
			continue
		}
		if stop != nil {
			close(stop)
			<-done
			stop = nil
		}
		switch {
		case len(words) == 1 && words[0] == "ugi":
			fmt.Println("id name Steps in Go\nid author the authors of Cornered")
			fmt.Println("option name Game type combo default trapgrid var trapgrid\nugiok")
		case len(words) == 5 && words[2] == "size":
			if number, err := strconv.Atoi(words[4]); err == nil && 3 <= number && number <= 8 {
				size, here = number, start(number)
			}
		case len(words) > 1 && words[0] == "position":
			if here = start(size); words[1] == "fen" {
				here = read(words[2], int(words[3][0]-'0'))
			}
			isMove := false
			for _, word := range words {
				if isMove {
					here.play(int(word[0]-'a'+1) + width*int(word[1]-'0'))
				}
				isMove = isMove || word == "moves"
			}
		case len(words) > 0 && words[0] == "go":
			stop, done = make(chan struct{}), make(chan struct{})
			go func(s *search, done chan struct{}) {
				s.run(words[1:])
				close(done)
			}(&search{position: here, stop: stop}, done)
		case len(words) == 2 && words[0] == "query":
			fmt.Println("response", answer(here, words[1]))
		case len(words) == 1 && words[0] == "quit":
			return
		}
	}
}
