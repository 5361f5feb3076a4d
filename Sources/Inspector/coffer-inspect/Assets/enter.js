// Gives the one-time token of the address's fragment, which a browser never sends, to the server, and removes it from
// the address. Without scripts, the form takes the token by hand.
"use strict";
{
  const token = location.hash.slice(1);
  const form = document.getElementById("entry");
  if (token && form) {
    history.replaceState(null, "", location.pathname);
    form.elements.token.value = token;
    form.submit();
  }
}
