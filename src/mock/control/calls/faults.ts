import * as z from 'zod/mini';
import { pageQuery, selectElements } from '../../records/select.js';
import { list, object, text, type NamedCalls } from './call.js';

const options = z.optional(object);

/** The calls that plan, list and remove faults. */
export const faultCalls: NamedCalls = [
  [
    'faults.next',
    {
      parameters: z.strictObject({ endpoint: text, fault: object, options: z.optional(z.union([z.number(), object])) }),
      run: (_, organization, target, fault, times) => organization.faults.next(target, fault, times),
    },
  ],
  [
    'faults.sequence',
    {
      parameters: z.strictObject({ endpoint: text, steps: list, options }),
      run: (_, organization, target, steps, chosen) => organization.faults.sequence(target, steps, chosen),
    },
  ],
  [
    'faults.always',
    {
      parameters: z.strictObject({ endpoint: text, fault: object, options }),
      run: (_, organization, target, fault, chosen) => organization.faults.always(target, fault, chosen),
    },
  ],
  [
    'faults.rate',
    {
      parameters: z.strictObject({ endpoint: text, probability: z.number(), fault: object, options }),
      run: (_, organization, target, probability, fault, chosen) =>
        organization.faults.rate(target, probability, fault, chosen),
    },
  ],
  [
    'faults.remove',
    { parameters: z.strictObject({ id: text }), run: (_, organization, id) => organization.faults.remove(id) },
  ],
  [
    'faults.clear',
    {
      parameters: z.strictObject({ endpoint: z.optional(text) }),
      run: (_, organization, target) => organization.faults.clear(target),
    },
  ],
  [
    'faults.list',
    {
      parameters: z.strictObject({ query: z.optional(pageQuery()) }),
      reads: true,
      // JSON has no functions: without a text, such a fault would seem to apply to all requests.
      run: (_, organization, query) =>
        selectElements('faults.list', organization.faults.list(), query).map((fault) =>
          typeof fault.when === 'function' ? { ...fault, when: 'a function' } : fault,
        ),
    },
  ],
];
