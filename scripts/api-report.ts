import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { packageEntries } from './package/entries.ts';

// The exports of the package as committed text, so that each change of the public API is reviewed and never happens by
// accident. `npm run update` writes the reports; without --update they are compared.
const root = fileURLToPath(new URL('..', import.meta.url));
const update = process.argv.includes('--update');
const temporary = `${root}.cache/api/`;
mkdirSync(`${root}etc`, { recursive: true });
mkdirSync(temporary, { recursive: true });

const reports = packageEntries.map(({ name, files }) => {
  const report = name === '.' ? 'index' : name.slice(2).replaceAll('/', '-');
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: `${root}package.json`,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: `${root}${files.import.types}`,
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2022',
            lib: ['es2023', 'dom', 'dom.iterable'],
            module: 'esnext',
            moduleResolution: 'bundler',
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: `${report}.api.md`,
        reportFolder: `${root}etc`,
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          // TypeDoc checks docs. There are no release tags: every export is public.
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
          'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
          // An entry may show a type that another entry exports; the report then shows it, too.
          'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
  });
  return { name, report, config };
});

// One compilation for all of them.
const [first, ...others] = reports.map(({ config }) => config);
if (first === undefined) throw new Error('the package has no entry');
const compilerState = CompilerState.create(first, {
  additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
});

let failed = false;
for (const { name, report, config } of reports) {
  const { succeeded, apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild: update,
    showVerboseMessages: false,
    messageCallback: (message) => {
      message.handled =
        message.logLevel !== ExtractorLogLevel.Error || message.messageId === 'console-api-report-not-copied';
    },
  });
  if (apiReportChanged && update) console.log(`etc/${report}.api.md written`);
  if (apiReportChanged && !update)
    console.error(
      `The public API of ${name} differs from etc/${report}.api.md. If the change is intended, run npm run update and commit the result.`,
    );
  if (!succeeded) failed = true;
}
if (failed) process.exitCode = 1;
