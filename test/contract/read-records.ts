import type { Description, Fields } from './description.js';
import { cell, fail, type Document } from './document.js';
import { readFields, readType, type Vocabulary } from './field-list.js';
import type { Table } from './markdown.js';

const noNames: Vocabulary = { types: new Map(), fields: new Map() };
const object = (fields: Fields): Description => ({ type: 'object', fields });
const arrayOf = (element: Description): Description => ({ type: 'array', element });

/** The records, requests and envelopes of the specification. */
export class Records {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  paymentCreate(): Description {
    return object(
      new Map(
        this.#document.table('Payment create request').map((row) => {
          const name = cell(row, 'Field');
          const described = { ...readType(cell(row, 'Type'), name, noNames), ...constraintOf(cell(row, 'Constraint')) };
          const required = cell(row, 'Required');
          if (required !== 'yes' && required !== 'no') fail(`required is neither yes nor no: ${required}`);
          return [name, required === 'yes' ? described : { ...described, optional: true }];
        }),
      ),
    );
  }

  /** A payment, with the one of its sometimes-present fields that is named. */
  payment(extra: string): Description {
    const title = 'Payment record (response of create; item of payment list)';
    const sometimes = /^object, present in .*$/;
    const rows = this.#document
      .table(title, 0)
      .filter((row) => cell(row, 'Field') === extra || !sometimes.test(cell(row, 'Type')))
      .map((row) => ({ Field: cell(row, 'Field'), Type: cell(row, 'Type').replace(sometimes, 'object') }));
    const vocabulary = {
      types: new Map([['string (see States and transitions)', this.#status('Payment')]]),
      fields: new Map([
        ['sourceFunding', sourceFundingOf(this.#document.table(title, 1))],
        ['paymentQuote', this.#quote()],
        [
          'authorization',
          object(fieldsOf(this.#document.table('Payment authorization snapshot (payment list items)'))),
        ],
      ]),
    };
    return object(fieldsOf(rows, vocabulary));
  }

  customer(): Description {
    const types = new Map([['one of the customer states', this.#status('Customer')]]);
    return object(fieldsOf(this.#document.table('Customer (list item and detail)'), { types, fields: new Map() }));
  }

  activity(): Description {
    const line = this.#document.line(
      'Customer activity entry',
      /\(all strings\)\. The only eventType value that occurs is /,
    );
    const eventType = /that occurs is (\w+);/.exec(line)?.[1] ?? fail('no eventType');
    return object(withConstant(readFields(firstSentence(line), noNames), 'eventType', eventType));
  }

  beneficiary(): Description {
    const line = this.#document.line('Beneficiary (list item)', /\. All are strings except `version`\.$/);
    return object(
      new Map([...readFields(firstSentence(line), noNames, 'is a string'), ['status', this.#status('Beneficiary')]]),
    );
  }

  /** A payment method or a network. */
  crypto(record: string): Description {
    const row =
      this.#document.table('Crypto records').find((found) => cell(found, 'Record') === record) ??
      fail(`no crypto record ${record}`);
    return object(readFields(cell(row, 'Fields'), noNames));
  }

  screening(): Description {
    const title = 'Person screening result';
    const types = new Map<string, Description>();
    const fields = new Map<string, Description>();
    // From the last row up: a match contains a disposition, whose row is below it.
    for (const row of this.#document.table(title).toReversed()) {
      const part = object(readFields(cell(row, 'Fields'), { types, fields: new Map() }));
      for (const name of cell(row, 'Part').split(' / ')) {
        const item = /^(\w+) item$/.exec(name)?.[1];
        fields.set(item ?? name, item === undefined ? part : arrayOf(part));
        types.set(`${name} shape`, part);
      }
    }
    return object(readFields(this.#document.after(title, /^All top-level keys are required: /), { types, fields }));
  }

  screeningRun(): Description {
    return object(readFields(this.#document.line('Screening history item', /^screeningId /), noNames));
  }

  page(item: Description): Description {
    return this.#envelope(item, /^Page envelope of lists of payments, customers and beneficiaries: /);
  }

  history(item: Description): Description {
    return this.#envelope(item, /^Page envelope of screening history: /);
  }

  #envelope(item: Description, opening: RegExp): Description {
    const list = this.#document
      .after('Conventions', opening)
      .replace(' and ', ', ')
      .replace(/; no `hasMore`\.$/, '');
    return object(readFields(list, { types: new Map([['array', arrayOf(item)]]), fields: new Map() }));
  }

  #status(record: string): Description {
    const row =
      this.#document.table('States and transitions').find((found) => cell(found, 'Record') === record) ??
      fail(`no states of ${record}`);
    return { type: 'string', values: cell(row, 'Status values').split(', ') };
  }

  #quote(): Description {
    const title = 'Payment quote (inside the create response)';
    const breakdown = new Map([['priceBreakdown', this.#priceBreakdown()]]);
    const common = readFields(this.#document.after(title, /^Common leading fields, all required: /), {
      types: new Map(),
      fields: breakdown,
    });
    const crypto =
      /^Variant with `fundingType` = (\w+), /.exec(this.#document.line(title, /^Variant with /))?.[1] ??
      fail('no crypto quote');
    this.#document.line(
      title,
      /^The second quote variant \(bank-funded\) shares the common leading fields; its remaining fields and its `fundingType` value: not shown\.$/,
    );
    return variants(
      'fundingType',
      new Map([
        [crypto, new Map([...common, ...fieldsOf(this.#document.table(title))])],
        ['not shown', new Map([...common, ['fundingType', { type: 'string' }]])],
      ]),
    );
  }

  #priceBreakdown(): Description {
    const title = 'Price breakdown';
    const types = new Map([
      ['fee line', object(readFields(this.#document.after(title, /^Fee line \(all keys required\): /), noNames))],
      ['variant by fundingType (below)', totalsOf(this.#document.line(title, /^`totals`: /))],
    ]);
    const fields = new Map<string, Description>();
    for (const row of this.#document.table(title)) {
      const key = cell(row, 'Key');
      fields.set(key, readType(cell(row, 'Content'), key, { types, fields: new Map() }));
      types.set(`same shape as ${key}`, fields.get(key) ?? fail(key));
    }
    return object(fields);
  }
}

function constraintOf(text: string): Pick<Description, 'values' | 'rules'> {
  const values = /^one of: (.+)$/.exec(text)?.[1];
  if (values !== undefined) return { values: values.split(', ') };
  const length = /^(minimum|maximum) length (\d+)$/.exec(text);
  if (length !== null) return { rules: [`at ${length[1] === 'minimum' ? 'least' : 'most'} ${length[2]} characters`] };
  const items = /^at least (\d+) items?\b/.exec(text)?.[1];
  if (items !== undefined) return { rules: [`at least ${items} items`] };
  if (/\d|length|most|least/.test(text)) fail(`not a constraint: ${text}`);
  return {};
}

function fieldsOf(table: Table, vocabulary = noNames): Fields {
  return new Map(
    table.flatMap((row) =>
      cell(row, 'Field')
        .split(', ')
        .map((name): [string, Description] => [name, readType(cell(row, 'Type'), name, vocabulary)]),
    ),
  );
}

function sourceFundingOf(table: Table): Description {
  return variants(
    'type',
    new Map(table.map((row) => [cell(row, 'type'), readFields(cell(row, 'Fields (all required)'), noNames)])),
  );
}

function totalsOf(line: string): Description {
  const found = [...line.matchAll(/with fundingType (\w+): ([^.]+)\./gi)];
  return variants(
    'fundingType',
    new Map(found.map(([, constant = '', list = '']) => [constant, readFields(list, noNames, 'is a string')])),
  );
}

/** Variants by one of their fields, which is a constant in each whose value is shown. */
function variants(discriminator: string, found: ReadonlyMap<string, Fields>): Description {
  const described = [...found].map(([constant, fields]): [string, Description] => [
    constant,
    object(constant === 'not shown' ? fields : withConstant(fields, discriminator, constant)),
  ]);
  return { type: `variants by ${discriminator}`, variants: new Map(described) };
}

function withConstant(fields: Fields, name: string, constant: string): Fields {
  const { values = [constant] } = fields.get(name) ?? fail(`no field ${name}`);
  if (values.join() !== constant) fail(`${name} is ${values.join()} in the variant of ${constant}`);
  return new Map([...fields, [name, { type: 'string', values: [constant] }]]);
}

function firstSentence(line: string): string {
  return line.split('. ')[0] ?? '';
}
