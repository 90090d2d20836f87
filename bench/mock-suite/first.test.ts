import { defineTests } from './tests.ts';

defineTests(0, 500);
