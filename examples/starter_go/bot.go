package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand"
	"time"
)

const (
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
	mostRepeats  = 5 // How often a command is sent again that fails in the server.
)

// A match is what is known of one of the bot's.
type match struct {
	situation
	id      string
	seat    int
	game    game
	isRated bool
	seq     int   // The number of the newest event.
	moved   int   // The number of the newest event that a move of the bot caused.
	turn    *turn // For which a move is being chosen, or was sent and not answered yet.
}

// A bot stays the same player over any number of connections. One goroutine has all of its state; the others send it
// functions through do.
type bot struct {
	address    string
	token      string
	name       string
	instance   string
	player     string
	socket     *socket // From welcome to the end of the connection.
	do         chan func()
	count      int
	unanswered []*command // What may not have arrived is sent again under the same id.
	matches    map[string]*match
	heldUntil  time.Time // Until then only moves are sent.
	pause      time.Duration
}

func (b *bot) run() {
	for {
		s, err := dial(b.address, "cornered.v1.json")
		if err == nil {
			err = b.serve(s)
			s.close()
		}
		log.Printf("no connection: %v", err)
		b.socket = nil
		// Random, so that the clients of a restarted server do not come back all at once.
		again := time.After(time.Duration(rand.Int63n(int64(b.pause))))
		if b.pause *= 2; b.pause > longestPause {
			b.pause = longestPause
		}
		for isWaiting := true; isWaiting; {
			select {
			case <-again:
				isWaiting = false
			case act := <-b.do:
				act()
			}
		}
	}
}

// serve says hello and reads until the connection ends.
func (b *bot) serve(s *socket) error {
	hello := map[string]string{"type": "hello", "kind": "bot", "client": "starter.go", "instance": b.instance}
	if b.token != "" {
		hello["token"] = b.token
	} else {
		hello["name"] = b.name
	}
	text, _ := json.Marshal(hello)
	s.write(opText, text)
	messages, failed := make(chan []byte), make(chan error, 1)
	go func() {
		for {
			text, err := s.read()
			if err != nil {
				failed <- err
				return
			}
			select {
			case messages <- text:
			case <-s.closed:
				return
			}
		}
	}()
	for {
		select {
		case err := <-failed:
			return err
		case act := <-b.do:
			act()
		case text := <-messages:
			if err := b.read(s, text); err != nil {
				return err
			}
		}
	}
}

// read takes one message. What is of an unknown type is skipped; what is no JSON ends the connection, since an answer
// may have been lost with it, and all is asked for again on the next one.
func (b *bot) read(s *socket, text []byte) error {
	if !json.Valid(text) {
		return errors.New("what comes over this connection is no JSON")
	}
	var head struct{ ID, Type, Match, Text string }
	err := json.Unmarshal(text, &head)
	switch head.Type {
	case "welcome":
		var message welcome
		if err = json.Unmarshal(text, &message); err == nil {
			b.socket, b.pause = s, firstPause
			b.onWelcome(message)
		}
	case "acknowledged":
		var message struct {
			ID  string
			Seq int
		}
		if err = json.Unmarshal(text, &message); err == nil {
			b.onAcknowledged(message.ID, message.Seq)
		}
	case "refused":
		var message refused
		if err = json.Unmarshal(text, &message); err == nil {
			return b.onRefused(message)
		}
	case "challenged":
		var message challenged
		if err = json.Unmarshal(text, &message); err == nil {
			b.onChallenged(message)
		}
	case "paired":
		b.join(head.Match)
	case "snapshot":
		var message snapshot
		if err = json.Unmarshal(text, &message); err == nil {
			b.onSnapshot(message)
		}
	case "happened":
		var message happened
		if err = json.Unmarshal(text, &message); err == nil {
			b.onHappened(message)
		}
	case "notice":
		log.Printf("the server says: %s", head.Text)
	}
	if err != nil {
		log.Printf("a message cannot be read: %v", err)
	}
	return nil
}

func (b *bot) onWelcome(message welcome) {
	if message.Token != "" {
		b.token = message.Token
	}
	b.player = message.Player.ID
	log.Printf("connected as %s", message.Player.Name)
	lost := b.unanswered
	b.unanswered = nil
	// What a bot declares and which matches it follows lasts as long as the connection.
	declared := command{Type: "declare", Concurrency: concurrency}
	for _, name := range games {
		declared.Accepts = append(declared.Accepts, accepts{name})
	}
	b.command(declared)
	for _, id := range message.Matches {
		b.join(id)
	}
	for id := range b.matches {
		if !contains(message.Matches, id) {
			b.join(id) // It has ended meanwhile: the answer has the end.
		}
	}
	for _, c := range lost {
		if c.Type != "declare" && c.Type != "join" {
			b.unanswered = append(b.unanswered, c)
			b.send(c)
		}
	}
}

func (b *bot) join(id string) {
	c := command{Type: "join", Match: id, Legal: true}
	if m := b.matches[id]; m != nil {
		since := m.seq
		c.Since = &since
	}
	b.command(c)
}

func (b *bot) command(c command) {
	b.count++
	c.ID = fmt.Sprintf("%s.%d", b.instance[:8], b.count)
	b.unanswered = append(b.unanswered, &c)
	b.send(&c)
}

func (b *bot) send(c *command) {
	if wait := time.Until(b.heldUntil); wait > 0 && c.Type != "play" {
		b.sendLater(c, wait)
	} else if b.socket != nil && b.waiting(c.ID) != nil {
		text, _ := json.Marshal(c)
		b.socket.write(opText, text)
	}
}

func (b *bot) sendLater(c *command, wait time.Duration) {
	time.AfterFunc(wait, func() { b.do <- func() { b.send(c) } })
}

// waiting returns the unanswered command of this id, or nil.
func (b *bot) waiting(id string) *command {
	for _, c := range b.unanswered {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// answered forgets the command of this id and returns it, or nil.
func (b *bot) answered(id string) *command {
	for index, c := range b.unanswered {
		if c.ID == id {
			b.unanswered = append(b.unanswered[:index], b.unanswered[index+1:]...)
			return c
		}
	}
	return nil
}

func (b *bot) onChallenged(message challenged) {
	for _, c := range b.unanswered {
		if c.Challenge == message.Challenge {
			return
		}
	}
	// The bot's own challenges are announced to it as well.
	if message.To.ID == b.player {
		b.command(command{Type: "accept_challenge", Challenge: message.Challenge})
	}
}

func (b *bot) onSnapshot(message snapshot) {
	b.answered(message.ID)
	if message.Over || message.Seat == nil {
		delete(b.matches, message.Match)
		return
	}
	m := &match{
		situation: message.situation, id: message.Match, seat: *message.Seat, game: message.Game,
		isRated: message.Rated, seq: message.Seq,
	}
	if known := b.matches[m.id]; known != nil {
		m.turn = known.turn
	} else {
		log.Printf("match %s of %s begins, seat %d", m.id, m.game.Name, m.seat)
	}
	b.matches[m.id] = m
	if message.Takeback != nil && !contains(message.TakebackAgreed, m.seat) {
		b.answerTakeback(m)
	}
	b.look(m)
}

func (b *bot) onHappened(message happened) {
	m := b.matches[message.Match]
	if m == nil {
		return
	}
	events := message.Events
	for len(events) > 0 && events[0].Seq <= m.seq {
		events = events[1:]
	}
	if len(events) == 0 {
		return
	}
	if events[0].Seq != m.seq+1 {
		// Events are missing: the answer to this has them.
		b.join(m.id)
		return
	}
	m.seq, m.situation = events[len(events)-1].Seq, message.situation
	for _, e := range events {
		switch {
		case e.Type == "takeback_requested" && e.Seat != nil && *e.Seat != m.seat:
			b.answerTakeback(m)
		case e.Type == "ended":
			log.Printf("match %s is over: %s (%s)", m.id, result(e, m.seat), e.Reason)
			delete(b.matches, m.id)
			return
		}
	}
	b.look(m)
}

func result(ended event, seat int) string {
	switch {
	case len(ended.Places) == 0:
		return "without a result"
	case ended.Winner == nil:
		return "drawn"
	case *ended.Winner == seat:
		return "won"
	}
	return "lost"
}

func (b *bot) answerTakeback(m *match) {
	// A match in which a takeback was granted is not rated any more.
	if m.isRated {
		b.command(command{Type: "decline_takeback", Match: m.id})
	} else {
		b.command(command{Type: "accept_takeback", Match: m.id})
	}
}

func (b *bot) onAcknowledged(id string, seq int) {
	c := b.answered(id)
	if c == nil || c.Type != "play" || b.matches[c.Match] == nil {
		return
	}
	m := b.matches[c.Match]
	if seq > m.moved {
		m.moved = seq
	}
	m.settle(c)
	b.look(m)
}

func (b *bot) onRefused(message refused) error {
	wait := time.Second
	if message.RetryAfter != nil {
		wait = time.Duration(*message.RetryAfter) * time.Millisecond
	}
	if b.socket == nil {
		switch message.Code {
		case "too_fast", "server_full", "shutting_down", "internal":
			if wait > b.pause {
				b.pause = wait
			}
			return fmt.Errorf("%s (%s)", message.Text, message.Code)
		}
		log.Fatalf("the server refuses this player: %s (%s)", message.Text, message.Code)
	}
	c := b.waiting(message.ID)
	if c == nil {
		log.Printf("the server says: %s (%s)", message.Text, message.Code)
		return nil
	}
	switch {
	case message.Code == "too_fast":
		b.heldUntil = time.Now().Add(wait)
		b.sendLater(c, wait)
	case message.Code == "internal" && c.failures < mostRepeats:
		// It may have been carried out: under the same id it is not carried out twice.
		c.failures++
		b.sendLater(c, wait)
	case message.Code != "shutting_down":
		b.answered(c.ID)
		log.Printf("the server refuses %s: %s (%s)", c.Type, message.Text, message.Code)
		if c.Type == "join" {
			delete(b.matches, c.Match)
		}
		if m := b.matches[c.Match]; c.Type == "play" && m != nil {
			// After `stale_ply` it moves again when the events that it lacked have come, and not before.
			m.settle(c)
			if message.Code == "illegal_move" {
				b.command(command{Type: "resign", Match: m.id})
			}
		}
	}
	return nil
}

func (m *match) settle(c *command) {
	if m.turn != nil && m.turn.ply == *c.Ply {
		m.turn = nil
	}
}

// look chooses a move where the bot is to move and does not do so yet.
func (b *bot) look(m *match) {
	if m.seq < m.moved {
		return // The position is from before its own move.
	}
	if m.ToMove != m.seat || m.Legal == nil {
		m.turn = nil
		return
	}
	if m.turn != nil && m.turn.ply == m.Ply && m.turn.position == m.Position {
		return
	}
	m.turn = &turn{m.game, m.Position, m.Legal, m.seat, m.Ply, m.Clocks}
	go b.think(m.id, m.turn)
}

func (b *bot) think(id string, t *turn) {
	move, err := choose(*t)
	if err == nil && !contains(t.legal, move) {
		err = fmt.Errorf("%q is not legal in %s", move, t.position)
	}
	b.do <- func() {
		m := b.matches[id]
		// A takeback, or another program of the same player, may have changed the position meanwhile.
		if m == nil || m.turn != t {
			return
		}
		if err != nil {
			log.Printf("the bot resigns match %s: %v", id, err)
			b.command(command{Type: "resign", Match: id})
			return
		}
		b.command(command{Type: "play", Match: id, Ply: &t.ply, Move: move})
	}
}

func contains[T comparable](list []T, one T) bool {
	for _, other := range list {
		if other == one {
			return true
		}
	}
	return false
}
