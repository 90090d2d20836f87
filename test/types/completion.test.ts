import { paymentStatuses } from 'corridor-sdk';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { endpointExamples } from '../../scripts/specification/specification.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = `${root}test/types/probe.ts`;
const probes = {
  'the known statuses of a payment that came':
    "for await (const p of corridor.payments.list()) if (p.status === '|') break;",
  'the statuses that a list can be filtered by': "corridor.payments.list({ status: '|' });",
  'the known variants of a funding':
    "for await (const p of corridor.payments.list()) if (p.sourceFunding?.type === '|') break;",
  'the fields of a payment to create': 'corridor.payments.create({ | });',
};

/** Returns the completions of an editor at each `|` of a program, in order. */
function completions(program: string): string[][] {
  const parts = program.split('|');
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, rootDir: root }),
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = name === file ? parts.join('') : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
  return parts.slice(1).map((_, index) => {
    const at = parts.slice(0, index + 1).join('').length;
    return (service.getCompletionsAtPosition(file, at, {})?.entries ?? []).map(({ name }) => name).toSorted();
  });
}

test('an editor offers statuses, variants and fields', () => {
  const offered = completions(
    `import { Corridor } from 'corridor-sdk';\nconst corridor = new Corridor();\n${Object.values(probes).join('\n')}`,
  );
  const statuses = paymentStatuses.toSorted();
  expect(Object.fromEntries(Object.keys(probes).map((name, index) => [name, offered[index]]))).toEqual({
    'the known statuses of a payment that came': statuses,
    'the statuses that a list can be filtered by': statuses,
    'the known variants of a funding': ['BANK_ACCOUNT', 'CRYPTO'],
    'the fields of a payment to create': Object.keys(endpointExamples['payments.create'].input).toSorted(),
  });
}, 180_000);
