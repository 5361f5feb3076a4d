#ifndef COFFER_CSANDBOX_H
#define COFFER_CSANDBOX_H

/// Returns an owned reference to the object through which an app in a sandbox reaches its vault, or NULL if the program
/// does not contain the product CofferSandbox.
void *_Nullable coffer_make_broker_connection(void);

#endif
