"""An MQTT client that watches its socket only while that is open.

The library's own callbacks are registered from the thread that connects and hold the socket's number, so a connection
that breaks at once, or whose opening is given up, leaves them behind on a closed socket, or on the one that gets its
number next. The loop then reports exceptions that no caller can catch. Here the loop watches the socket from the moment
at which the thread is done, and stops before the socket closes, however the client ends.
"""

from __future__ import annotations

import contextlib
import threading
from types import TracebackType
from typing import Any, Self

import paho.mqtt.client as mqtt
from aiomqtt import Client, MqttError
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

__all__ = ["BrokerClient"]


class BrokerClient(Client):
    """A client for one connection: it is entered once. Beside MqttError its callbacks raise nothing."""

    _watched: mqtt.SocketLike | None = None
    _has_ended = False
    _thread = 0

    async def __aenter__(self) -> Self:
        """Connect. Raises MqttError. A connection that is not opened in the end leaves no socket behind."""
        self._thread = threading.get_ident()
        try:
            await super().__aenter__()
            if self._watched is None:
                # The library forgets a loss that follows the broker's welcome in the same turn of the loop.
                raise MqttError("the broker closed the connection")
        except BaseException:
            self._end()
            raise
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take leave of the broker where it can be reached, and close the socket in any case. Raises MqttError."""
        try:
            await super().__aexit__(exc_type, exc, traceback)
        finally:
            self._end()

    # What the library calls

    def _client_connect(self) -> None:
        super()._client_connect()
        with contextlib.suppress(RuntimeError):
            # The loop is closed where the server ended while this thread connected.
            self._loop.call_soon_threadsafe(self._watch)

    def _on_socket_open(self, client: mqtt.Client, userdata: object, sock: Any) -> None:
        """The socket is watched once the connecting thread is done with it."""

    def _on_socket_close(self, client: mqtt.Client, userdata: object, sock: Any) -> None:
        if self._is_on_loop():
            self._ignore()

    def _on_socket_register_write(self, client: mqtt.Client, userdata: object, sock: Any) -> None:
        if self._is_on_loop() and self._watched is not None:
            # uvloop refuses a socket that has failed: what arrived before is being read, then the loss is known.
            with contextlib.suppress(RuntimeError):
                self._loop.add_writer(self._watched.fileno(), self._write)

    def _on_socket_unregister_write(self, client: mqtt.Client, userdata: object, sock: Any) -> None:
        if self._is_on_loop() and self._watched is not None:
            self._loop.remove_writer(self._watched.fileno())

    def _on_disconnect(
        self,
        client: mqtt.Client,
        userdata: object,
        flags: mqtt.DisconnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        # The library asks for the result of an opening that may have been given up.
        if not self._connected.cancelled():
            super()._on_disconnect(client, userdata, flags, reason_code, properties)
            self._take_loss()

    async def _misc_loop(self) -> None:
        try:
            await super()._misc_loop()
        except Exception as error:
            self._fail(error)

    # The socket

    def _is_on_loop(self) -> bool:
        return threading.get_ident() == self._thread

    def _watch(self) -> None:
        """Read from the socket from now on, and write where the connecting thread could not."""
        sock = self._client.socket()
        if self._has_ended:
            if sock is not None:
                sock.close()
        elif sock is not None and sock.fileno() >= 0:
            self._watched = sock
            self._loop.add_reader(sock.fileno(), self._read)
            if self._client.want_write():
                self._loop.add_writer(sock.fileno(), self._write)
            self._misc_task = self._loop.create_task(self._misc_loop())

    def _ignore(self) -> None:
        """Let the loop forget the socket, which is still open."""
        sock, self._watched = self._watched, None
        if sock is not None and sock.fileno() >= 0:
            self._loop.remove_reader(sock.fileno())
            self._loop.remove_writer(sock.fileno())
        if self._misc_task is not None:
            self._misc_task.cancel()

    def _read(self) -> None:
        if self._watched is None:
            return
        try:
            self._client.loop_read()
            # TLS may hold decoded bytes for which the socket never becomes readable again.
            while (pending := getattr(self._client.socket(), "pending", None)) is not None and pending():
                self._client.loop_read()
        except Exception as error:
            self._fail(error)
        if self._watched is not None and _has_failed(self._watched):
            # uvloop watches it no longer, though more may have arrived before the failure, which comes to light last.
            self._loop.call_soon(self._read)

    def _write(self) -> None:
        try:
            self._client.loop_write()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Tell whoever uses the client that the connection is of no use any more."""
        self._ignore()
        if not self._disconnected.done():
            self._disconnected.set_exception(error)
            self._take_loss()

    def _take_loss(self) -> None:
        """Have the loop not report a loss that nobody waits for."""
        if self._disconnected.done():
            self._disconnected.exception()

    def _end(self) -> None:
        self._has_ended = True
        sock = self._watched
        self._ignore()
        if sock is not None:
            sock.close()


def _has_failed(sock: mqtt.SocketLike) -> bool:
    """Return whether the connection was reset or timed out; what had arrived before can still be read."""
    try:
        sock.getpeername()  # type: ignore[attr-defined]
    except OSError:
        return True
    return False
