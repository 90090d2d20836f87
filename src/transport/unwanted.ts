/** Why a page that was fetched ahead is given up: nobody wants it any more. No failure, and not told as one. */
export const unwanted: unique symbol = Symbol('a page that was fetched ahead is not wanted');
