import { beneficiary, type Beneficiary, type BeneficiaryStatus } from '../../contract/schema/beneficiaries.js';
import { memoize, type UnknownValue } from '../../contract/schema/schema.js';
import { companyName, streetAddress } from '../data/names.js';
import {
  commonCurrencies,
  countryProfileIn,
  countryProfileOf,
  currencyIn,
  type CountryProfile,
  isTokenCurrency,
} from '../data/countries.js';
import { fingerprint, type Random } from '../data/random.js';
import { omitUndefined } from '../base/freeze.js';
import type { Unmarked } from '../base/unknown-values.js';
import type { OrganizationState } from '../state/platform-state.js';
import type { StoredBeneficiary } from '../state/record-kinds.js';
import { resolveCustomerId } from './customers.js';
import {
  inputOf,
  requireRules,
  requireUnused,
  statusRecordsOf,
  timestampNow,
  type MockRecords,
  type MockTransitions,
  type RecordKind,
  type PartialInput,
} from './builder.js';

/** The input of `beneficiaries.add`. */
export interface MockBeneficiaryInput extends PartialInput<Omit<Beneficiary, 'status'>> {
  /** The status. @default 'APPROVED' */
  readonly status?: BeneficiaryStatus | UnknownValue | undefined;
}

/** The schema of the input. */
export const beneficiaryInput = memoize(() => inputOf(beneficiary()));

const call = 'beneficiaries.add';

/** Creates and stores a beneficiary, and its customer unless the input names one. */
export function createBeneficiary(
  organization: OrganizationState,
  input: Unmarked<MockBeneficiaryInput> = {},
): StoredBeneficiary {
  const random = organization.random('beneficiaries', organization.beneficiaries.next);
  const id = random.id('ben_');
  const currencyCode = currencyOfInput(input) ?? random.pick(commonCurrencies);
  const profile = countryProfileOf(currencyCode);
  const bankProfile = countryProfileIn(input.bankCountryCode ?? '') ?? profile;
  const residence = countryProfileIn(input.country ?? '') ?? bankProfile;
  const bank = random.pick(bankProfile.banks);
  const city = random.pick(residence.cities);
  const bankCity = random.pick(bankProfile.cities);
  const street = streetAddress(random);
  const createdAt = input.createdAt ?? timestampNow(organization);
  const record = {
    id,
    customerId: '',
    version: 1,
    country: residence.country.alpha2,
    companyName: companyName(random, residence),
    address: [street, city.name].join(', '),
    addressStreet: street,
    addressCity: city.name,
    addressProvince: city.province,
    zipCode: city.postalCode,
    currencyCode,
    bankName: bank.name,
    bankBic: bank.bic,
    bankCountryCode: bankProfile.country.alpha2,
    bankAddress: [streetAddress(random), bankCity.name].join(', '),
    ...accountOf(random, bankProfile),
    ...(isTokenCurrency(currencyCode) && walletOf(id)),
    status: 'APPROVED',
    createdAt,
    updatedAt: createdAt,
    ...omitUndefined(input),
  };
  requireRules(organization, call, record);
  const customerId = resolveCustomerId(organization, call, input.customerId, record.createdAt);
  return organization.beneficiaries.insert(record.id, Date.parse(record.createdAt), {
    record: { ...record, customerId },
  });
}

/** Returns the currency of a new beneficiary, if its fields determine one. */
export function currencyOfInput(input: Unmarked<MockBeneficiaryInput>): string | undefined {
  return input.currencyCode ?? currencyIn(input.bankCountryCode ?? input.country ?? '');
}

/**
 * Returns the account fields of a country. Fields that the country does not use are empty strings, because the
 * specification requires strings.
 */
function accountOf(random: Random, profile: CountryProfile) {
  const { alpha2 } = profile.country;
  const routing = random.digits(9);
  const sort = random.digits(6);
  return {
    accountNumber: random.digits(profile.accountDigits),
    iban: alpha2 === 'BR' ? iban(alpha2, `${random.digits(23)}C1`) : '',
    wireRoutingNumber: alpha2 === 'US' ? routing : '',
    achRoutingNumber: alpha2 === 'US' ? routing : '',
    sortCode: ['ZA', 'BW', 'KE', 'NG', 'MW'].includes(alpha2) ? sort : '',
    institutionNumber: '',
    transitNumber: '',
    intermediaryBank: ['MW', 'SN', 'CM', 'UG', 'TZ', 'ZM'].includes(alpha2) ? 'Continental Harbor Bank, New York' : '',
  };
}

/** Returns the account fields of a wallet. The address is fictional. */
function walletOf(id: string): Partial<Beneficiary> {
  const bank = { bankName: '', bankBic: '', bankCountryCode: '', bankAddress: '' };
  return { ...bank, accountNumber: `0x${fingerprint(id)}`, iban: '', wireRoutingNumber: '', achRoutingNumber: '' };
}

/** Returns an IBAN with its check digits (ISO 13616). */
function iban(country: string, account: string): string {
  const digits = `${account}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(digits) % 97n);
  return `${country}${check.toString().padStart(2, '0')}${account}`;
}

/**
 * The beneficiaries of an organization's customers.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const customer = platform.customers.add();
 * const beneficiary = platform.beneficiaries.add({ customerId: customer.id, currencyCode: 'MXN' });
 * platform.beneficiaries.transition(beneficiary.id, 'SUSPENDED');
 * ```
 */
export interface MockBeneficiaries
  extends MockRecords<Beneficiary, MockBeneficiaryInput>, MockTransitions<Beneficiary, BeneficiaryStatus> {}

/** How beneficiaries are created, changed and removed. */
export const beneficiaryKind: RecordKind<'beneficiaries', Beneficiary, MockBeneficiaryInput> = {
  name: 'beneficiaries',
  input: beneficiaryInput,
  create: createBeneficiary,
  toView: (_, { record }) => record,
  change: (organization, { record }, partial: Unmarked<MockBeneficiaryInput>) => ({
    record: {
      ...record,
      version: record.version + 1,
      updatedAt: timestampNow(organization),
      ...omitUndefined(partial),
    },
  }),
  release: (state, id) => requireUnused(state, 'beneficiaries.remove', id, ({ record }) => record.beneficiaryId === id),
};

/** Creates the public interface of the beneficiaries. */
export const beneficiaryRecords = (organization: OrganizationState): MockBeneficiaries =>
  statusRecordsOf(organization, beneficiaryKind);
