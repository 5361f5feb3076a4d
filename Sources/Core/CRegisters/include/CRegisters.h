#ifndef COFFER_CREGISTERS_H
#define COFFER_CREGISTERS_H

/// Overwrites the registers in which functions that copy memory leave the last bytes: a later call could store them on
/// the stack. Does nothing on processors other than x86-64 and arm64.
void coffer_clear_vector_registers(void);

#endif
