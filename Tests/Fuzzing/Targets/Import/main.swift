import CofferFuzzDriver

try Fuzzer.main(ImportTargets.all)
