import { Controller, Get, HttpException, Param } from '@nestjs/common';
import { Corridor, NotFoundError } from 'corridor-sdk';

interface Paid {
  readonly id: string;
  readonly amount: string;
}

@Controller('customers')
export class PaymentsController {
  constructor(private readonly corridor: Corridor) {}

  @Get(':id/paid')
  async paid(@Param('id') id: string): Promise<Paid[]> {
    try {
      const customer = await this.corridor.customers.get(id);
      const payments = await this.corridor.payments.list({ status: 'COMPLETED' }).toArray({ max: 100 });
      return payments
        .filter((payment) => payment.customerId === customer.id)
        .map(({ id: paymentId, amount }) => ({ id: paymentId, amount }));
    } catch (error) {
      if (error instanceof NotFoundError) throw new HttpException('no such customer', 404);
      throw error;
    }
  }
}
