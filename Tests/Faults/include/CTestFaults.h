#ifndef COFFER_TEST_FAULTS_H
#define COFFER_TEST_FAULTS_H

/// Lets one call of this process fail that opens, writes, shortens, renames or syncs a file: the one with this number,
/// from 1 on, counted from now. It gets this error, and the next ones work.
void coffer_test_fail_call(int number, int error);

/// Lets all calls work again. Returns whether the call has failed.
int coffer_test_end_failing(void);

#endif
