import { expectTypeOf, test } from 'vitest';
import type {
  ChangesCheckpoint,
  ExportCheckpoint,
  PaymentCreateIntent,
  PaymentExportParams,
  PaymentExportSpan,
  UnknownValue,
  ListedPayment,
} from 'corridor-sdk';

// As type-fest declares them.
type JsonObject = { [Key in string]: JsonValue } & { [Key in string]?: JsonValue | undefined };
type JsonValue = string | number | boolean | null | JsonObject | JsonValue[] | readonly JsonValue[];
// As Prisma declares them.
type InputJsonObject = { readonly [Key in string]?: InputJsonValue | null };
interface InputJsonArray extends ReadonlyArray<InputJsonValue | null> {}
type InputJsonValue = string | number | boolean | InputJsonObject | InputJsonArray | { toJSON(): unknown };

test('plain JSON fits the JSON columns of other libraries', () => {
  expectTypeOf<ChangesCheckpoint>().toExtend<JsonValue>();
  expectTypeOf<ChangesCheckpoint>().toExtend<InputJsonValue>();
  expectTypeOf<ExportCheckpoint>().toExtend<JsonValue>();
  expectTypeOf<ExportCheckpoint>().toExtend<InputJsonValue>();
  expectTypeOf<PaymentCreateIntent>().toExtend<JsonValue>();
  expectTypeOf<PaymentCreateIntent>().toExtend<InputJsonValue>();
  expectTypeOf<PaymentExportSpan>().toExtend<JsonValue>();
  expectTypeOf<PaymentExportSpan>().toExtend<InputJsonValue>();
  expectTypeOf<PaymentExportSpan>().toExtend<PaymentExportParams>();
  expectTypeOf<UnknownValue>().toExtend<JsonValue>();
});

test('a record fits them by its own type, because it is the JSON that the platform sent', () => {
  expectTypeOf((payment: ListedPayment) => payment as object as JsonObject).returns.toExtend<JsonValue>();
  expectTypeOf((payment: ListedPayment) => payment as object as InputJsonObject).returns.toExtend<InputJsonValue>();
});
