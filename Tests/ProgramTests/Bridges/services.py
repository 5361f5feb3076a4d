#!/usr/bin/env python3
"""Services on loopback that check the credentials of their clients: services.py KIND SECRET FOLDER [CERTIFICATE KEY]

KIND is sts (AWS, whose signature is verified), cargo (a sparse index with an API that publishes) or kubernetes. SECRET is what
a client must have. The port is written to FOLDER/port, and a line about each request to FOLDER/requests.
"""
import hashlib
import hmac
import http.server
import json
import os
import ssl
import struct
import sys
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    secret = ""
    folder = ""

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, kind="application/json", **headers):
        with open(os.path.join(self.folder, "requests"), "a") as log:
            log.write(f"{self.command} {self.path} {status}\n")
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))


class STS(Handler):
    """The secret is ACCESS-KEY-ID:SECRET-ACCESS-KEY[:SESSION-TOKEN]."""

    def do_POST(self):
        body = self.body()
        identifier, key, token = (self.secret.split(":") + [None])[:3]
        expected = self.signature(identifier, key, body)
        if self.headers.get("Authorization") != expected or self.headers.get("X-Amz-Security-Token") != token:
            return self.answer(
                403, "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>no</Message></Error>"
                "</ErrorResponse>", "text/xml")
        self.answer(
            200, '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
            "<GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/jane</Arn><UserId>AIDA</UserId>"
            "<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>", "text/xml")

    def signature(self, identifier, key, body):
        """Returns the header of Signature Version 4 for this request."""
        given = self.headers.get("Authorization") or ""
        names = given.partition("SignedHeaders=")[2].partition(",")[0]
        scope = given.partition("Credential=")[2].partition(",")[0].split("/")[1:]
        if len(scope) != 4:
            return None
        headers = "".join(f"{n}:{' '.join((self.headers.get(n) or '').split())}\n" for n in names.split(";"))
        path, _, query = self.path.partition("?")
        request = "\n".join(["POST", path, query, headers, names, hashlib.sha256(body).hexdigest()])
        text = "\n".join([
            "AWS4-HMAC-SHA256", self.headers["X-Amz-Date"], "/".join(scope),
            hashlib.sha256(request.encode()).hexdigest()])
        step = ("AWS4" + key).encode()
        for part in scope:
            step = hmac.new(step, part.encode(), hashlib.sha256).digest()
        sign = hmac.new(step, text.encode(), hashlib.sha256).hexdigest()
        return (f"AWS4-HMAC-SHA256 Credential={identifier}/{'/'.join(scope)}, SignedHeaders={names}, "
                f"Signature={sign}")


class Cargo(Handler):
    """A registry that asks for its token (auth-required), and keeps what is published."""

    def is_allowed(self):
        if self.headers.get("Authorization") == self.secret:
            return True
        self.answer(401, "{}", WWW_Authenticate=f'Cargo login_url="http://{self.headers["Host"]}/me"')
        return False

    def do_GET(self):
        self.body()
        if self.path == "/index/config.json":
            if self.is_allowed():
                host = f"http://{self.headers['Host']}"
                self.answer(200, json.dumps({"dl": f"{host}/crates", "api": host, "auth-required": True}))
        elif self.is_allowed():
            path = os.path.join(self.folder, "index", os.path.basename(self.path))
            if os.path.exists(path):
                self.answer(200, open(path).read(), "text/plain")
            else:
                self.answer(404, "")

    def do_PUT(self):
        body = self.body()
        if not self.is_allowed():
            return
        size = struct.unpack_from("<I", body)[0]
        crate = json.loads(body[4:4 + size])
        package = body[8 + size:]
        os.makedirs(os.path.join(self.folder, "index"), exist_ok=True)
        with open(os.path.join(self.folder, "index", crate["name"]), "a") as index:
            entry = {"name": crate["name"], "vers": crate["vers"], "deps": [], "features": {}, "yanked": False,
                     "cksum": hashlib.sha256(package).hexdigest()}
            index.write(json.dumps(entry) + "\n")
        self.answer(200, json.dumps({"warnings": {"invalid_categories": [], "invalid_badges": [], "other": []}}))


class Kubernetes(Handler):
    def do_GET(self):
        if self.headers.get("Authorization") != "Bearer " + self.secret:
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Unauthorized", "code": 401}
            return self.answer(401, json.dumps(status))
        self.answer(200, json.dumps({"major": "1", "minor": "32", "gitVersion": "v1.32.0"}))


def main():
    kind, Handler.secret, Handler.folder, *identity = sys.argv[1:]
    handler = {"sts": STS, "cargo": Cargo, "kubernetes": Kubernetes}[kind]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if identity:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*identity)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    port = os.path.join(Handler.folder, "port")
    with open(port + ".new", "w") as file:
        file.write(str(server.server_address[1]))
    os.rename(port + ".new", port)
    server.serve_forever()


main()
