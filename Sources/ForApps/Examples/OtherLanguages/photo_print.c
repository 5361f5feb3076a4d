/*
 * A print program in C. It reads the purchase that PhotoPro has written and PhotoFree reads.
 *
 *     cc photo_print.c $(pkg-config --cflags --libs libcoffer) -o photo-print
 *
 * Its plist is photo-print.entitlements, beside the program.
 */
#include <coffer.h>
#include <stdio.h>
#include <string.h>

#define TEXT(text) (text), strlen(text)

int main(void) {
  coffer_vault *vault = NULL;
  coffer_error *error = NULL;
  int is_bought = 0;
  coffer_status status = coffer_open(NULL, 0, &vault, &error);
  if (status == COFFER_OK)
    status = coffer_receipt(vault, TEXT("store.example.com"), TEXT("photo-pro"), TEXT("com.example.photo.purchases"),
                            &is_bought, &error);
  if (status == COFFER_OK) {
    puts(is_bought ? "prints in all sizes" : "prints postcards");
  } else {
    const char *suggestion = coffer_error_suggestion(error);
    fprintf(stderr, "photo-print: %s; %s\n", coffer_error_message(error), suggestion ? suggestion : "");
  }
  coffer_error_free(error);
  coffer_close(vault);
  return status == COFFER_OK ? 0 : 1;
}
