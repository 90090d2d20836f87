import { beneficiary, type Beneficiary, type BeneficiaryStatus } from '../../contract/beneficiaries.js';
import type { MockPace } from '../agenda.js';
import { companyName, streetAddress } from '../names.js';
import { everydayCurrencies, placeOf, type Place } from '../places.js';
import type { Random } from '../random.js';
import type { OrganizationState } from '../state.js';
import type { StoredBeneficiary } from '../stored.js';
import { ownerOf } from './customers.js';
import { given, planMoves, recordsOf, refuseUnknown, requireConforming, requireMove, settled, timeOf, timestampNow, type MockRecords, type Partially } from './input.js';

/** What `beneficiaries.add` takes. */
export type MockBeneficiaryInput = Partially<Omit<Beneficiary, 'status'>> & { readonly status?: BeneficiaryStatus | undefined };

const call = 'beneficiaries.add';

/** Makes a beneficiary, and its customer where none is named, and puts them into the state. */
export function createBeneficiary(organization: OrganizationState, input: MockBeneficiaryInput = {}): StoredBeneficiary {
  const random = organization.random('beneficiaries', organization.beneficiaries.next);
  const id = `ben_${random.letters(16)}`;
  const currencyCode = input.currencyCode ?? random.pick(everydayCurrencies);
  const place = placeOf(currencyCode);
  const bank = random.pick(place.banks);
  const city = random.pick(place.cities);
  const street = streetAddress(random);
  const createdAt = input.createdAt ?? timestampNow(organization);
  const record = {
    id,
    customerId: '',
    version: 1,
    country: place.country.alpha2,
    companyName: companyName(random, place),
    address: `${street}, ${city.name}`,
    addressStreet: street,
    addressCity: city.name,
    addressProvince: city.province,
    zipCode: city.postalCode,
    currencyCode,
    bankName: bank.name,
    bankBic: bank.bic,
    bankCountryCode: place.country.alpha2,
    bankAddress: `${streetAddress(random)}, ${city.name}`,
    ...accountOf(random, place),
    status: 'APPROVED',
    createdAt,
    updatedAt: createdAt,
    ...given(input),
  };
  requireConforming(call, beneficiary, record);
  const at = timeOf(call, record.createdAt);
  const customerId = ownerOf(organization, call, input.customerId, record.createdAt);
  return organization.beneficiaries.insert(record.id, at, { record: { ...record, customerId } });
}

type AccountField =
  | 'accountNumber' | 'iban' | 'wireRoutingNumber' | 'achRoutingNumber' | 'sortCode' | 'institutionNumber' | 'transitNumber' | 'intermediaryBank';

/** What an account is called by in its country; what it has none of is empty, because the specification says string. */
function accountOf(random: Random, place: Place): Pick<Beneficiary, AccountField> {
  const { alpha2 } = place.country;
  const routing = random.digits(9);
  const sort = random.digits(6);
  return {
    accountNumber: random.digits(place.accountDigits),
    iban: alpha2 === 'BR' ? iban(alpha2, `${random.digits(23)}C1`) : '',
    wireRoutingNumber: alpha2 === 'US' ? routing : '',
    achRoutingNumber: alpha2 === 'US' ? routing : '',
    sortCode: ['ZA', 'BW', 'KE', 'NG', 'MW'].includes(alpha2) ? sort : '',
    institutionNumber: '',
    transitNumber: '',
    intermediaryBank: ['MW', 'SN', 'CM', 'UG', 'TZ', 'ZM'].includes(alpha2) ? 'Continental Harbor Bank, New York' : '',
  };
}

/** An IBAN with its check digits (ISO 13616). */
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
export interface MockBeneficiaries extends MockRecords<Beneficiary, MockBeneficiaryInput> {
  /** Moves a beneficiary to a status; its version grows by one. Throws `MockPlatformError` where the table does not allow that. */
  transition(id: string, status: BeneficiaryStatus): Beneficiary;
  /**
   * Lets a beneficiary move by itself, one status after another, as the mock's clock passes or as the beneficiary is listed. A new
   * plan replaces the one before; no statuses end it. Throws `MockPlatformError` where the table does not allow a step.
   */
  plan(id: string, statuses: readonly BeneficiaryStatus[], pace: MockPace): void;
}

/** Moves a beneficiary. */
export function moveBeneficiary(organization: OrganizationState, id: string, status: BeneficiaryStatus): Beneficiary {
  const { record: before } = organization.beneficiaries.get(id) ?? refuseUnknown('beneficiaries.transition', 'id', id);
  requireMove('beneficiaries.transition', organization.platform.options.transitions.beneficiaries, before.status, status);
  const record: Beneficiary = { ...before, status, version: before.version + 1, updatedAt: timestampNow(organization) };
  organization.beneficiaries.update(id, () => ({ record }));
  return record;
}

/** The beneficiaries of an organization's customers. */
export function beneficiaryRecords(organization: OrganizationState): MockBeneficiaries {
  return {
    ...recordsOf(organization, { call, create: createBeneficiary, collection: ({ beneficiaries }) => beneficiaries, show: (_, { record }) => record }),
    transition: (id, status) => moveBeneficiary(settled(organization), id, status),
    plan: (id, steps, pace) => {
      const { record } = settled(organization).beneficiaries.get(id) ?? refuseUnknown('beneficiaries.plan', 'id', id);
      planMoves(organization, 'beneficiaries', { id, from: record.status, steps, pace });
    },
  };
}
