import DefaultTheme from 'vitepress/theme-without-fonts';
import type { Theme } from 'vitepress';
import MoneyDecision from './money-decision.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('MoneyDecision', MoneyDecision);
  },
} satisfies Theme;
