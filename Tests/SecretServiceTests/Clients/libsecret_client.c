// What an application does with libsecret. Prints each step before it begins; a step that fails or hangs ends the
// program and is named on standard error.
//
//   libsecret_client NAME        NAME is an attribute of all items

#include <errno.h>
#include <libsecret/secret.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_SECONDS = 60 };

static const char *step = "start";
static const char *name;

static void fail(const char *what, const GError *error) {
  fprintf(stderr, "%s: %s%s%s\n", step, what, error ? ": " : "", error ? error->message : "");
  exit(1);
}

// Only what a handler of a signal may call.
static void end_step(int signal) {
  (void)signal;
  static const char text[] = " has not ended\n";
  if (write(2, step, strlen(step)) > 0 && write(2, text, sizeof text - 1) > 0) _exit(3);
  _exit(3);
}

static void begin(const char *next) {
  step = next;
  printf("%s\n", next);
  fflush(stdout);
  alarm(STEP_SECONDS);
}

static void require(gboolean condition, const char *what, const GError *error) {
  if (!condition || error) fail(what, error);
}

static void require_text(const char *found, const char *expected) {
  if (g_strcmp0(found, expected) != 0) {
    fprintf(stderr, "%s: found %s instead of %s\n", step, found ? found : "nothing", expected ? expected : "nothing");
    exit(1);
  }
}

static const SecretSchema schema = {
    "com.example.Client", SECRET_SCHEMA_NONE,
    {{"test", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"user", SECRET_SCHEMA_ATTRIBUTE_STRING},
     {"port", SECRET_SCHEMA_ATTRIBUTE_INTEGER}, {"tls", SECRET_SCHEMA_ATTRIBUTE_BOOLEAN}, {NULL, 0}}};

static void store(const char *user, const char *label, const char *secret, const char *collection) {
  GError *error = NULL;
  gboolean stored = secret_password_store_sync(
      &schema, collection, label, secret, NULL, &error, "test", name, "user", user, "port", 993, "tls", TRUE, NULL);
  require(stored, "not stored", error);
}

static char *lookup(const char *user) {
  GError *error = NULL;
  char *secret = secret_password_lookup_sync(&schema, NULL, &error, "test", name, "user", user, "port", 993, NULL);
  if (error) fail("no answer", error);
  return secret;
}

static void expect(const char *user, const char *secret) {
  char *found = lookup(user);
  require_text(found, secret);
  secret_password_free(found);
}

// The signals of a collection, by name.
static GHashTable *signals;

static void on_signal(GDBusProxy *proxy, const char *sender, const char *signal, GVariant *parameters, gpointer data) {
  (void)proxy, (void)sender, (void)parameters, (void)data;
  g_hash_table_add(signals, g_strdup(signal));
}

static void await_signal(const char *signal) {
  while (!g_hash_table_contains(signals, signal)) g_main_context_iteration(NULL, TRUE);
}

static int waiting;

static void on_lookup(GObject *source, GAsyncResult *result, gpointer data) {
  (void)source;
  GError *error = NULL;
  char *secret = secret_password_lookup_finish(result, &error);
  if (error) fail("no answer", error);
  require_text(secret, data);
  secret_password_free(secret);
  waiting--;
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  name = arguments[1];
  signal(SIGALRM, end_step);
  GError *error = NULL;

  begin("open a session");
  SecretService *service =
      secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS, NULL, &error);
  require(service != NULL, "no service", error);
  require_text(secret_service_get_session_algorithms(service), "dh-ietf1024-sha256-aes128-cbc-pkcs7");

  begin("store");
  store("jane", "Jane's läbel", "pässword", SECRET_COLLECTION_DEFAULT);
  begin("look up");
  expect("jane", "pässword");
  begin("look up what is missing");
  expect("nobody", NULL);

  begin("change by storing again");
  store("jane", "Another label", "changed", SECRET_COLLECTION_DEFAULT);
  expect("jane", "changed");

  begin("search");
  GHashTable *attributes = secret_attributes_build(&schema, "test", name, NULL);
  GList *found = secret_service_search_sync(
      service, &schema, attributes, SECRET_SEARCH_ALL | SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS, NULL, &error);
  require(g_list_length(found) == 1, "not one item", error);
  SecretItem *item = found->data;
  char *label = secret_item_get_label(item);
  require_text(label, "Another label");
  GHashTable *stored = secret_item_get_attributes(item);
  require_text(g_hash_table_lookup(stored, "user"), "jane");
  require_text(g_hash_table_lookup(stored, "port"), "993");
  require_text(g_hash_table_lookup(stored, "tls"), "true");
  require_text(g_hash_table_lookup(stored, "xdg:schema"), "com.example.Client");
  require(!secret_item_get_locked(item), "locked", NULL);
  require(secret_item_get_created(item) > 1700000000, "no date of creation", NULL);
  require(secret_item_get_modified(item) >= secret_item_get_created(item), "no date of modification", NULL);
  SecretValue *value = secret_item_get_secret(item);
  require_text(secret_value_get_text(value), "changed");
  require_text(secret_value_get_content_type(value), "text/plain");

  begin("follow signals");
  signals = g_hash_table_new(g_str_hash, g_str_equal);
  SecretCollection *collection = secret_collection_for_alias_sync(
      service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_LOAD_ITEMS, NULL, &error);
  require(collection != NULL, "no default collection", error);
  g_signal_connect(collection, "g-signal", G_CALLBACK(on_signal), NULL);

  begin("change the label");
  require(secret_item_set_label_sync(item, "Third label", NULL, &error), "not changed", error);
  begin("await ItemChanged");
  await_signal("ItemChanged");
  begin("change the attributes");
  GHashTable *others = secret_attributes_build(&schema, "test", name, "user", "jane2", "port", 993, NULL);
  require(secret_item_set_attributes_sync(item, &schema, others, NULL, &error), "not changed", error);
  expect("jane2", "changed");
  expect("jane", NULL);
  begin("change the secret");
  SecretValue *binary = secret_value_new("a\0b\n", 4, "application/octet-stream");
  require(secret_item_set_secret_sync(item, binary, NULL, &error), "not changed", error);
  begin("load the secret");
  require(secret_item_load_secret_sync(item, NULL, &error), "not loaded", error);
  SecretValue *loaded = secret_item_get_secret(item);
  gsize size = 0;
  const char *bytes = secret_value_get(loaded, &size);
  require(size == 4 && memcmp(bytes, "a\0b\n", 4) == 0, "other bytes", NULL);

  begin("create an item");
  GHashTable *mine = secret_attributes_build(&schema, "test", name, "user", "created", "port", 993, NULL);
  SecretValue *text = secret_value_new("made", -1, "text/plain");
  SecretItem *created = secret_item_create_sync(
      collection, &schema, mine, "Created", text, SECRET_ITEM_CREATE_NONE, NULL, &error);
  require(created != NULL, "not created", error);
  begin("await ItemCreated");
  await_signal("ItemCreated");
  expect("created", "made");
  begin("find it among the items of the collection");
  while (1) {
    GList *items = secret_collection_get_items(collection);
    gboolean contained = FALSE;
    for (GList *each = items; each; each = each->next)
      contained |= !g_strcmp0(g_dbus_proxy_get_object_path(each->data), g_dbus_proxy_get_object_path(G_DBUS_PROXY(created)));
    g_list_free_full(items, g_object_unref);
    if (contained) break;
    g_main_context_iteration(NULL, TRUE);
  }
  begin("delete an item");
  require(secret_item_delete_sync(created, NULL, &error), "not deleted", error);
  begin("await ItemDeleted");
  await_signal("ItemDeleted");
  expect("created", NULL);

  begin("store for this session");
  store("session", "Session", "until logout", SECRET_COLLECTION_SESSION);
  expect("session", "until logout");

  begin("look up fifty times at once");
  for (int index = 0; index < 50; index++, waiting++)
    secret_password_lookup(&schema, NULL, on_lookup, "until logout", "test", name, "user", "session", NULL);
  while (waiting) g_main_context_iteration(NULL, TRUE);

  begin("clear");
  require(secret_password_clear_sync(&schema, NULL, &error, "test", name, NULL), "nothing cleared", error);
  expect("jane2", NULL);
  expect("session", NULL);
  begin("clear what is missing");
  require(!secret_password_clear_sync(&schema, NULL, &error, "test", name, NULL), "something cleared", error);

  begin("disconnect");
  secret_service_disconnect();
  begin("end");
  return 0;
}
