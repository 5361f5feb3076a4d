import CofferFuzzDriver

try Fuzzer.main(GitTargets.all)
