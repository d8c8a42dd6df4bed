"""TLS 1.3 as a private pipe without names: a certificate made for this process, verified by nobody.

Certificates say nothing about who is there. Both player keys sign a transcript that contains the hash of
the server's certificate (`handshake`), so a relay, which must show its own, is found out. The standard
library cannot authenticate unknown self-signed *client* certificates, which is why there are none.

The certificate key is P-256, not Ed25519: RFC 8446 §9.1 makes P-256 the curve every TLS 1.3 library has,
and no Ed25519 key of this program then ever signs anything but lantable's own domains.
"""

import ssl
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from lantable.keys import sha256

ALPN: Final = "lantable/1"
_VALID: Final = (datetime(2000, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC))
"""Nobody looks at the dates; fixed ones tell nothing about our clock. The last is RFC 5280's "no end" (§4.1.2.5)."""


def cert_hash(der: bytes) -> bytes:
    """What the handshake binds: SHA-256 of the server's certificate in DER (32 bytes)."""
    return sha256(der)


@dataclass(frozen=True, slots=True)
class Tls:
    """Both sides' settings for one process, and the hash of the certificate its server shows."""

    server: ssl.SSLContext
    client: ssl.SSLContext
    cert_hash: bytes

    @classmethod
    def fresh(cls) -> Self:
        """Settings with a new throw-away certificate. Blocks for a few milliseconds."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _self_signed(key)
        server = _strict(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
        # A ticket would let a connection resume without showing the certificate that the handshake binds.
        server.num_tickets = 0
        _load(server, key, certificate)
        client = _strict(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        # Neither name nor date nor issuer: the signed handshake answers who is there.
        client.check_hostname = False
        client.verify_mode = ssl.CERT_NONE
        return cls(server, client, cert_hash(certificate.public_bytes(Encoding.DER)))


def _strict(context: ssl.SSLContext) -> ssl.SSLContext:
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols([ALPN])
    return context


def _self_signed(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lantable")])
    builder = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=_VALID[0],
        not_valid_after=_VALID[1],
    )
    return builder.sign(key, hashes.SHA256())


def _load(context: ssl.SSLContext, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
    """`load_cert_chain` reads only files: one in a folder of mode 0700, gone before this returns."""
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with tempfile.TemporaryDirectory(prefix="lantable-") as folder:
        path = Path(folder, "cert.pem")
        path.touch(0o600)
        path.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
        context.load_cert_chain(path)
