/** The data that a partner has: the ids of one record of each kind, and payments to create. */
export interface Fixture {
  readonly customerId: string;
  readonly personId: string;
  readonly ticketId: string;
  readonly attachmentId: string;
  readonly documentId: string;
  readonly orders: readonly Order[];
}

/** A new payment, as it goes over the wire. */
export interface Order {
  readonly customerId: string;
  readonly beneficiaryId: string;
  readonly amount: string;
  readonly currencyCode: 'MXN';
  readonly internalReference: string | null;
  readonly invoiceNumber: string;
  readonly purposeOfPayment: string;
  readonly memo: string | null;
  readonly documentIds: string[];
  readonly paymentQuoteId: string;
}
