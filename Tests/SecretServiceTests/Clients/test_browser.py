"""Chromium, which encrypts its cookies with a key from the secret service."""

import http.server
import shutil
import sqlite3
import threading

from client_test_case import ClientTestCase


class CookieHandler(http.server.BaseHTTPRequestHandler):
    """Sets a cookie on the first page, and keeps the cookies that it gets."""

    received: list[str | None] = []

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.send_response(200)
        if self.path == "/set":
            self.send_header("Set-Cookie", "visit=first-run; Max-Age=86400")
        if self.path in ("/set", "/get"):
            self.received.append(self.headers.get("Cookie"))
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>page</title>")


class Browser(ClientTestCase):
    def test_chromium_decrypts_in_its_second_run_the_cookie_of_its_first(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        self.assertIsNotNone(browser, "no browser is installed; run Scripts/bootstrap --with browser")
        CookieHandler.received = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), CookieHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        profile = self.folder() / "profile"

        def visit(page: str):
            return self.service.run(
                browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
                "--disable-component-update", "--disable-background-networking", "--disable-extensions",
                "--password-store=gnome-libsecret", f"--user-data-dir={profile}", "--dump-dom",
                f"http://127.0.0.1:{server.server_port}/{page}")

        visit("set")
        client = self.client()
        found, locked = client.search({"application": "chromium"})
        self.assertEqual((len(found), locked), (1, []))
        # 16 random bytes in base64.
        self.assertRegex(client.secret(found[0], client.open_plain()), rb"^[A-Za-z0-9+/]{22}==$")
        with sqlite3.connect(next(profile.rglob("Cookies"))) as database:
            rows = database.execute("SELECT value, encrypted_value FROM cookies WHERE name = 'visit'").fetchall()
        database.close()
        # The version says whether the key is from a secret service (v11) or fixed (v10).
        self.assertEqual([(plain, encrypted[:3]) for plain, encrypted in rows], [("", b"v11")])
        visit("get")
        self.assertEqual(CookieHandler.received, [None, "visit=first-run"])
        self.assertEqual(len(client.search({"application": "chromium"})[0]), 1)
