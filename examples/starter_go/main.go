// A bot for Cornered in Go, on the standard library alone. PROTOCOL.md describes the messages, bot.go answers
// them, and websocket.go is the WebSocket below.
//
//	go build -o starter . && CORNERED_SERVER=ws://127.0.0.1:8420 ./starter
//
// Change choose: the other files keep the connection and need no change. The program plays any game of the server
// without its rules, since the server sends the legal moves with each position. CORNERED_TOKEN makes it the same player
// at every start; without one it comes as a new guest called CORNERED_NAME.
package main

import (
	"fmt"
	"log"
	"math/rand"
	"net/url"
	"os"
	"strings"
	"time"
)

// What the bot declares.
const concurrency = 4

var games = []string{"trapgrid", "isolation", "bamboo", "quoridor"}

// A turn is a position in which the bot is to move. GAMES.md has the notation of positions and moves.
type turn struct {
	game     game
	position string
	legal    []string
	seat     int
	ply      int
	clocks   clocks
}

// choose returns one of the legal moves. It runs in a goroutine of its own.
func choose(t turn) (string, error) {
	return t.legal[rand.Intn(len(t.legal))], nil
}

// socketURL returns the address of the WebSocket of a server, whose page's address will do.
func socketURL(server string) (string, error) {
	where, err := url.Parse(server)
	if err != nil || where.Hostname() == "" {
		return "", fmt.Errorf("CORNERED_SERVER is an address such as ws://127.0.0.1:8420, not %q", server)
	}
	where.Scheme = strings.Replace(where.Scheme, "http", "ws", 1)
	if where.Scheme != "ws" && where.Scheme != "wss" {
		return "", fmt.Errorf("CORNERED_SERVER is an address such as ws://127.0.0.1:8420, not %q", server)
	}
	where.Path = strings.TrimSuffix(strings.TrimRight(where.Path, "/"), "/ws") + "/ws"
	return where.String(), nil
}

func given(variable, otherwise string) string {
	if value := os.Getenv(variable); value != "" {
		return value
	}
	return otherwise
}

func main() {
	rand.Seed(time.Now().UnixNano())
	address, err := socketURL(given("CORNERED_SERVER", "ws://127.0.0.1:8420"))
	if err != nil {
		log.Fatal(err)
	}
	b := &bot{
		address: address, token: os.Getenv("CORNERED_TOKEN"), name: given("CORNERED_NAME", "starter"),
		instance: fmt.Sprintf("%016x", rand.Uint64()), do: make(chan func()),
		matches: map[string]*match{}, pause: firstPause,
	}
	b.run()
}
