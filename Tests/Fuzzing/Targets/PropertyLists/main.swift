import CofferFuzzDriver

try Fuzzer.main(PropertyListTargets.all)
