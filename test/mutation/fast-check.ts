import fc from 'fast-check';

// A property that detects a mutant mostly does so with its first values, and nobody reads its smallest counterexample.
fc.configureGlobal({ seed: 1, interruptAfterTimeLimit: 250, endOnFailure: true });
