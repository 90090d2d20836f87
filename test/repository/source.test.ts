import { expect, test } from 'vitest';
import { findAny } from './any.js';
import { programOf } from './tree.js';

test('the types of src contain no any, written or inferred, and no comment that silences a checker', () => {
  expect(findAny(programOf([]))).toEqual([]);
});
