import { defineTests } from './tests.ts';

defineTests(500, 500);
