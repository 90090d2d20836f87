import type { CommandTable } from './command.js';

/** The commands, in the order of the help. Each is loaded on use, so that `--help` is fast. */
export const commandTable: CommandTable = {
  mock: { about: 'serves a mock of the platform on this machine', load: () => import('./mock.js') },
  keygen: {
    about: 'generates a key pair: the private key for you, the public one for the platform',
    load: () => import('./keygen.js'),
  },
  doctor: {
    about: 'checks credentials, network and clock, and suggests fixes',
    load: () => import('./doctor/index.js'),
  },
  verify: {
    about: 'tests the assumptions about the platform, and writes the settings that match it',
    load: () => import('./verify/index.js'),
  },
  call: { about: 'calls an endpoint of the platform, such as payments.list', load: () => import('./call/index.js') },
  export: {
    about: 'writes all payments, customers or beneficiaries to a file, as JSON lines or CSV',
    load: () => import('./export/index.js'),
  },
  follow: {
    about: 'prints changes of payments as lines of JSON, or posts them as webhooks',
    load: () => import('./follow.js'),
  },
  sync: {
    about: 'copies all payments, customers and beneficiaries into a database, and keeps the copy true',
    load: () => import('./sync.js'),
  },
  journal: {
    about: 'lists pending payments of a journal, and resolves them',
    load: () => import('./journal.js'),
  },
};
