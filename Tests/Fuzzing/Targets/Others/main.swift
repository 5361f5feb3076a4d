import CofferFuzzDriver

try Fuzzer.main(OtherTargets.all)
