import * as sdk from 'corridor-sdk';
import * as mock from 'corridor-sdk/mock';
import { runSuite } from './suite.js';

// A Worker without the modules of Node and without code generation.
export default {
  async fetch(request) {
    let isBarred = false;
    try {
      new Function('return 1')();
    } catch {
      isBarred = true;
    }
    const found = await runSuite({ sdk, mock }, await request.json());
    found.push(isBarred ? { name: 'code of text is barred' } : { name: 'code of text is barred', error: 'it is not' });
    return Response.json([{ build: 'ES modules, in a bundle', found }]);
  },
};
