"""Servers that speak TLS on the loopback with certificates of a throw-away authority, and some that break off."""

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.fakes.loopback import Handler, Step

DAY = timedelta(days=1)
HERE = "127.0.0.1"
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass(frozen=True)
class Authority:
    """Signs certificates; `file` is its own, in PEM, for who is to trust it."""

    key: ec.EllipticCurvePrivateKey
    name: x509.Name
    file: Path

    @staticmethod
    def begin(folder: Path, name: str = "Test Root", organisation: str = "Plant") -> "Authority":
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name(
            [
                x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, organisation),
                x509.NameAttribute(x509.NameOID.COMMON_NAME, name),
            ]
        )
        now = datetime.now(UTC)
        certificate = (
            _unsigned(subject, subject, key, now - 9 * DAY, now + 9 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        file = folder / f"{name}.pem"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return Authority(key, subject, file)

    def issue(self, *names: str, since: timedelta = -DAY, until: timedelta = DAY) -> Path:
        """A file with the key and the certificate of a server, valid from and until so far from now."""
        key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
        certificate = (
            _unsigned(subject, self.name, key, now + since, now + until)
            .add_extension(x509.SubjectAlternativeName(list(map(_general, names))), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = self.file.with_name(f"{certificate.serial_number}.pem")
        file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
        return file


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, since: datetime, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(until)
    )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class TlsServer:
    """Answers every request with `reply`; `silent` = never. `asked` is set by the first byte of a request."""

    def __init__(self, chain: Path, *, reply: bytes = OK, silent: bool = False) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(chain)
        self._reply = reply
        self._silent = silent
        self.asked = threading.Event()
        self._done = threading.Event()

    def __enter__(self) -> Self:
        self._listener = socket.create_server((HERE, 0))
        self.port = int(self._listener.getsockname()[1])
        self.url = f"https://{HERE}:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            with plain:
                self._answer(plain)

    def _answer(self, plain: socket.socket) -> None:
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                if not connection.recv(4096):
                    return
                self.asked.set()
                if self._silent:
                    self._done.wait(30)
                connection.sendall(self._reply)
        except OSError:
            pass  # who only looks at the certificate leaves


@contextmanager
def breaking_off(*, reset: bool) -> Iterator[str]:
    """An https:// address where the connection comes about and ends at the first word: by a reset, or just closed."""
    listener = socket.create_server((HERE, 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                if reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"https://{HERE}:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def tunnel_to(port: int) -> Step:
    """What a proxy does when asked to CONNECT, wherever to: it passes bytes to and from `port` here."""

    def step(handler: Handler) -> None:
        with socket.create_connection((HERE, port)) as far:
            handler.send_response(200)
            handler.end_headers()
            back = threading.Thread(target=_pass_on, args=(far, handler.connection), daemon=True)
            back.start()
            _pass_on(handler.connection, far)
            back.join()

    return step


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass
