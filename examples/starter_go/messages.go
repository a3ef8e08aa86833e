package main

// The messages of the server, with the fields that a bot needs. The decoder ignores all others.

type game struct {
	Name    string
	Options map[string]any
}

type clocks struct {
	Left []*int // Milliseconds of each seat as the turn began; nil without a clock.
}

type player struct {
	ID   string
	Name string
}

type welcome struct {
	Player  player
	Token   string
	Matches []string
}

type refused struct {
	ID         string
	Code       string
	Text       string
	RetryAfter *int `json:"retry_after"`
}

type challenged struct {
	Challenge string
	To        player
}

// A situation is what snapshot and happened have in common. Nothing of it is counted or worked out here.
type situation struct {
	Ply      int
	Position string
	ToMove   int `json:"to_move"`
	Clocks   clocks
	Legal    []string
}

type snapshot struct {
	situation
	ID             string
	Match          string
	Seq            int
	Game           game
	Seat           *int
	Over           bool
	Rated          bool
	Takeback       *int
	TakebackAgreed []int `json:"takeback_agreed"`
}

type event struct {
	Seq    int
	Type   string
	Seat   *int
	Winner *int
	Places []int
	Reason string
}

type happened struct {
	situation
	Match  string
	Events []event
}

// A command is each of those that the bot sends. The server refuses unknown fields, so that all are left out where empty.
type command struct {
	Type        string    `json:"type"`
	ID          string    `json:"id"`
	Match       string    `json:"match,omitempty"`
	Challenge   string    `json:"challenge,omitempty"`
	Accepts     []accepts `json:"accepts,omitempty"`
	Concurrency int       `json:"concurrency,omitempty"`
	Since       *int      `json:"since,omitempty"`
	Legal       bool      `json:"legal,omitempty"`
	Ply         *int      `json:"ply,omitempty"`
	Move        string    `json:"move,omitempty"`
	failures    int       // How often it has failed in the server.
}

type accepts struct {
	Game string `json:"game"`
}
