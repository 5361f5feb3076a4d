// Times calls of libsecret to the secret service, over one connection: see Scripts/bench --help.
//
//   secret-service-calls store FIRST COUNT      stores COUNT items
//   secret-service-calls lookup TOTAL COUNT     looks up COUNT of TOTAL items
//   secret-service-calls search TOTAL COUNT     searches COUNT times for one of TOTAL items, without its secret
//   secret-service-calls all TOTAL COUNT        searches COUNT times for all of TOTAL items, without their secrets
//   secret-service-calls ping 0 COUNT           calls Ping COUNT times, which is what the bus and libsecret take
//
// Prints the time of each call in microseconds, a line each.

// SearchItems without a further call for each item that it finds.
#define SECRET_API_SUBJECT_TO_CHANGE

#include <libsecret/secret.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const SecretSchema schema = {
    "com.example.Benchmark", SECRET_SCHEMA_NONE,
    {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}};

static void require(int condition, const char *what, const GError *error) {
  if (condition && !error) return;
  fprintf(stderr, "secret-service-calls: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
  exit(1);
}

static void store(int number) {
  GError *error = NULL;
  char account[40], secret[40];
  snprintf(account, sizeof account, "account-%d", number);
  snprintf(secret, sizeof secret, "value %d", number);
  int stored = secret_password_store_sync(
      &schema, SECRET_COLLECTION_DEFAULT, account, secret, NULL, &error, "service", "bench", "account", account, NULL);
  require(stored, "an item is not stored", error);
}

static void lookup(int number) {
  GError *error = NULL;
  char account[40], expected[40];
  snprintf(account, sizeof account, "account-%d", number);
  snprintf(expected, sizeof expected, "value %d", number);
  char *secret = secret_password_lookup_sync(&schema, NULL, &error, "service", "bench", "account", account, NULL);
  require(secret && strcmp(secret, expected) == 0, "another secret is found", error);
  secret_password_free(secret);
}

static void search(SecretService *service, int number, int expected) {
  GError *error = NULL;
  char account[40];
  snprintf(account, sizeof account, "account-%d", number);
  GHashTable *attributes = expected == 1 ? secret_attributes_build(&schema, "service", "bench", "account", account, NULL)
                                         : secret_attributes_build(&schema, "service", "bench", NULL);
  char **unlocked = NULL, **locked = NULL;
  secret_service_search_for_dbus_paths_sync(service, &schema, attributes, NULL, &unlocked, &locked, &error);
  require(unlocked && (int)g_strv_length(unlocked) == expected, "another number of items is found", error);
  g_strfreev(unlocked);
  g_strfreev(locked);
  g_hash_table_unref(attributes);
}

static void ping(SecretService *service) {
  GError *error = NULL;
  GVariant *answer = g_dbus_connection_call_sync(
      g_dbus_proxy_get_connection(G_DBUS_PROXY(service)), "org.freedesktop.secrets", "/org/freedesktop/secrets",
      "org.freedesktop.DBus.Peer", "Ping", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  require(answer != NULL, "Ping is not answered", error);
  g_variant_unref(answer);
}

int main(int count, char **arguments) {
  require(count == 4, "arguments: OPERATION NUMBER COUNT", NULL);
  const char *operation = arguments[1];
  int number = atoi(arguments[2]), calls = atoi(arguments[3]);
  require(number >= 0 && calls > 0, "the numbers are too small", NULL);
  GError *error = NULL;
  SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
  require(service != NULL, "no secret service", error);
  for (int call = 0; call < calls; call++) {
    // In steps of a prime number, so that they are spread over all items.
    int item = number > 0 ? call * 7919 % number : 0;
    gint64 start = g_get_monotonic_time();
    if (!strcmp(operation, "store")) store(number + call);
    else if (!strcmp(operation, "lookup")) lookup(item);
    else if (!strcmp(operation, "search")) search(service, item, 1);
    else if (!strcmp(operation, "all")) search(service, 0, number);
    else ping(service);
    printf("%lld\n", (long long)(g_get_monotonic_time() - start));
  }
  return 0;
}
