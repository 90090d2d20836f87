import type { JSX } from 'preact';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { Facts, Section } from '../../components/layout.js';
import { RecordScreen } from '../../components/record-screen.js';
import type { Beneficiary } from '../../control/records.js';
import { change } from '../../control/use-control.js';
import { formatTime } from '../../format/text.js';
import { linkTo } from '../../router.js';
import { TransitionButtons } from '../../components/transition-buttons.js';

/** The fields of the bank details, with their names for people. */
const bankFields = [
  ['bankName', 'Bank'],
  ['bankBic', 'BIC'],
  ['bankCountryCode', 'Bank country'],
  ['accountNumber', 'Account number'],
  ['iban', 'IBAN'],
  ['wireRoutingNumber', 'Wire routing number'],
  ['achRoutingNumber', 'ACH routing number'],
  ['sortCode', 'Sort code'],
  ['institutionNumber', 'Institution number'],
  ['transitNumber', 'Transit number'],
  ['intermediaryBank', 'Intermediary bank'],
] as const;

/** The beneficiaries of the selected organization's customers. */
export function BeneficiariesScreen(): JSX.Element {
  return (
    <RecordScreen<Beneficiary>
      title="Beneficiaries"
      kind="beneficiaries"
      noun={['beneficiary', 'beneficiaries']}
      columns={[
        { title: 'Company', width: 'minmax(140px, 2fr)' },
        { title: 'Status', width: '170px' },
        { title: 'Currency', width: '76px', from: 520 },
        { title: 'Bank', width: 'minmax(120px, 1.4fr)', from: 640 },
        { title: 'Version', width: '64px', from: 860, isNumber: true },
        { title: 'Updated', width: '142px', from: 720, isNumber: true },
      ]}
      cells={(beneficiary) => [
        <a class="cover" href={linkTo('beneficiaries', beneficiary.id)}>
          {beneficiary.companyName}
        </a>,
        <StatusBadge status={beneficiary.status} />,
        beneficiary.currencyCode,
        beneficiary.bankName,
        beneficiary.version,
        <span class="mono">{formatTime(beneficiary.updatedAt)}</span>,
      ]}
      searchText={({ id, companyName, bankName, currencyCode, status }) =>
        [id, companyName, bankName, currencyCode, status].join(' ')
      }
      actions={
        <Button kind="primary" onClick={() => change('beneficiaries.add', [], 'Added a beneficiary.')}>
          Add beneficiary
        </Button>
      }
      renderDetails={(beneficiary) => ({
        title: (
          <>
            {beneficiary.companyName} <StatusBadge status={beneficiary.status} />
          </>
        ),
        actions: <TransitionButtons kind="beneficiaries" id={beneficiary.id} status={beneficiary.status} />,
        body: (
          <>
            <Section title="Beneficiary">
              <Facts
                facts={[
                  ['Currency', beneficiary.currencyCode],
                  ['Address', beneficiary.address],
                  ['Country', beneficiary.country],
                  ['Customer', <a href={linkTo('customers', beneficiary.customerId)}>{beneficiary.customerId}</a>],
                  ['Version', String(beneficiary.version)],
                  ['Beneficiary ID', <span class="mono">{beneficiary.id}</span>],
                ]}
              />
            </Section>
            <Section title="Bank details">
              <Facts
                facts={bankFields
                  .filter(([field]) => beneficiary[field])
                  .map(([field, name]) => [name, beneficiary[field]])}
              />
            </Section>
          </>
        ),
      })}
    />
  );
}
