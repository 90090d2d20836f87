import { Module } from '@nestjs/common';
import { CorridorModule } from './corridor.module';
import { PaymentsController } from './payments.controller';

@Module({ imports: [CorridorModule], controllers: [PaymentsController] })
export class AppModule {}
