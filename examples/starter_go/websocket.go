package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A client's side of a WebSocket (RFC 6455) for text messages, on the standard library alone.

const (
	connectTime    = 10 * time.Second
	pingEvery      = 20 * time.Second
	silenceAtMost  = 60 * time.Second // A socket on which nothing came for so long is broken.
	maxMessage     = 16 << 20
	maxControl     = 125
	acceptGUID     = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" // Section 1.3.
	opContinuation = 0
	opText         = 1
	opClose        = 8
	opPing         = 9
	opPong         = 10
)

type socket struct {
	connection net.Conn
	reader     *bufio.Reader
	writing    sync.Mutex // The reader answers pings while another goroutine writes messages.
	closed     chan struct{}
	closing    sync.Once
}

// dial opens a WebSocket that speaks the subprotocol, at an address that begins with ws:// or wss://.
func dial(address, subprotocol string) (*socket, error) {
	where, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	port := where.Port()
	if port == "" {
		port = map[string]string{"ws": "80", "wss": "443"}[where.Scheme]
	}
	endpoint, dialer := net.JoinHostPort(where.Hostname(), port), &net.Dialer{Timeout: connectTime}
	var connection net.Conn
	if where.Scheme == "wss" {
		connection, err = tls.DialWithDialer(dialer, "tcp", endpoint, nil)
	} else {
		connection, err = dialer.Dial("tcp", endpoint)
	}
	if err != nil {
		return nil, err
	}
	s := &socket{connection: connection, reader: bufio.NewReader(connection), closed: make(chan struct{})}
	if err := s.shakeHands(where, subprotocol); err != nil {
		s.close()
		return nil, err
	}
	go s.keepAlive()
	return s, nil
}

// shakeHands upgrades the connection (section 4).
func (s *socket) shakeHands(where *url.URL, subprotocol string) error {
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return err
	}
	key := base64.StdEncoding.EncodeToString(nonce[:])
	page := *where
	page.Scheme = strings.Replace(where.Scheme, "ws", "http", 1)
	request, err := http.NewRequest(http.MethodGet, page.String(), nil)
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": subprotocol,
	} {
		request.Header.Set(name, value)
	}
	if err := s.connection.SetDeadline(time.Now().Add(connectTime)); err != nil {
		return err
	}
	if err := request.Write(s.connection); err != nil {
		return err
	}
	response, err := http.ReadResponse(s.reader, request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	sum := sha1.Sum([]byte(key + acceptGUID))
	if response.Header.Get("Sec-WebSocket-Accept") != base64.StdEncoding.EncodeToString(sum[:]) ||
		response.Header.Get("Sec-WebSocket-Protocol") != subprotocol {
		return errors.New("the server answers, but not as a WebSocket of this protocol")
	}
	return s.connection.SetDeadline(time.Time{})
}

func (s *socket) keepAlive() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-ticker.C:
			s.write(opPing, nil)
		}
	}
}

// read returns the next message, and answers pings and the end of the connection.
func (s *socket) read() ([]byte, error) {
	var message []byte
	isOpen := false
	for {
		if err := s.connection.SetReadDeadline(time.Now().Add(silenceAtMost)); err != nil {
			return nil, err
		}
		opcode, isLast, payload, err := s.frame()
		if err != nil {
			return nil, err
		}
		switch {
		case opcode == opPing:
			s.write(opPong, payload)
		case opcode == opPong:
		case opcode == opClose:
			s.write(opClose, payload)
			return nil, closeError(payload)
		case opcode > opClose || (opcode == opContinuation) != isOpen || len(message)+len(payload) > maxMessage:
			return nil, fmt.Errorf("an unexpected frame with the opcode %d", opcode)
		default:
			message, isOpen = append(message, payload...), !isLast
			if isLast {
				return message, nil
			}
		}
	}
}

func closeError(payload []byte) error {
	if len(payload) < 2 {
		return errors.New("the server closed the connection")
	}
	return fmt.Errorf("the server closed the connection: %d %s", binary.BigEndian.Uint16(payload), payload[2:])
}

// frame reads one frame (section 5.2).
func (s *socket) frame() (opcode byte, isLast bool, payload []byte, err error) {
	var head [8]byte
	if _, err = io.ReadFull(s.reader, head[:2]); err != nil {
		return
	}
	opcode, isLast = head[0]&0x0f, head[0]&0x80 != 0
	length, isControl := uint64(head[1]&0x7f), opcode >= opClose
	if head[0]&0x70 != 0 || head[1]&0x80 != 0 || (isControl && (length > maxControl || !isLast)) {
		return 0, false, nil, errors.New("a frame that breaks RFC 6455")
	}
	switch length {
	case 126:
		_, err = io.ReadFull(s.reader, head[:2])
		length = uint64(binary.BigEndian.Uint16(head[:2]))
	case 127:
		_, err = io.ReadFull(s.reader, head[:8])
		length = binary.BigEndian.Uint64(head[:8])
	}
	if err == nil && length > maxMessage {
		err = fmt.Errorf("a message of %d bytes", length)
	}
	if err != nil {
		return
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(s.reader, payload)
	return
}

// write sends one frame, masked (section 5.3). After an error the reader ends too.
func (s *socket) write(opcode byte, payload []byte) {
	frame := []byte{0x80 | opcode}
	switch n := len(payload); {
	case n <= maxControl:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(n))
	}
	var mask [4]byte
	if _, err := rand.Read(mask[:]); err != nil {
		s.close()
		return
	}
	frame = append(frame, mask[:]...)
	for index, one := range payload {
		frame = append(frame, one^mask[index%4])
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.connection.SetWriteDeadline(time.Now().Add(connectTime)) != nil {
		s.close()
	} else if _, err := s.connection.Write(frame); err != nil {
		s.close()
	}
}

func (s *socket) close() {
	s.closing.Do(func() {
		close(s.closed)
		s.connection.Close()
	})
}
