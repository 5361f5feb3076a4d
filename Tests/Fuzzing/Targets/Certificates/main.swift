import CofferFuzzDriver

try Fuzzer.main(CertificateTargets.all)
