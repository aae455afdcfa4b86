// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a FoldRequest.
         * @deprecated Use reedbed.v1.FoldRequest.$Properties instead.
         */
        interface IFoldRequest extends reedbed.v1.FoldRequest.$Properties {
        }

        /** Represents a FoldRequest. */
        class FoldRequest {

            /**
             * Constructs a new FoldRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoldRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoldRequest peerRequestId. */
            peerRequestId: string;

            /** FoldRequest reedId. */
            reedId: string;

            /** FoldRequest isThread. */
            isThread: boolean;

            /** FoldRequest requesterId. */
            requesterId: string;

            /** FoldRequest requesterKeyId. */
            requesterKeyId: string;

            /** FoldRequest keyChain. */
            keyChain: Uint8Array;

            /** FoldRequest slot. */
            slot: number;

            /**
             * Creates a new FoldRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoldRequest instance
             */
            static create(properties: reedbed.v1.FoldRequest.$Shape): reedbed.v1.FoldRequest & reedbed.v1.FoldRequest.$Shape;
            static create(properties?: reedbed.v1.FoldRequest.$Properties): reedbed.v1.FoldRequest;

            /**
             * Encodes the specified FoldRequest message. Does not implicitly {@link reedbed.v1.FoldRequest.verify|verify} messages.
             * @param message FoldRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoldRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoldRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoldRequest & reedbed.v1.FoldRequest.$Shape} FoldRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoldRequest & reedbed.v1.FoldRequest.$Shape;
        }

        namespace FoldRequest {

            /** Properties of a FoldRequest. */
            interface $Properties {

                /** FoldRequest peerRequestId */
                peerRequestId?: (string|null);

                /** FoldRequest reedId */
                reedId?: (string|null);

                /** FoldRequest isThread */
                isThread?: (boolean|null);

                /** FoldRequest requesterId */
                requesterId?: (string|null);

                /** FoldRequest requesterKeyId */
                requesterKeyId?: (string|null);

                /** FoldRequest keyChain */
                keyChain?: (Uint8Array|null);

                /** FoldRequest slot */
                slot?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoldRequest. */
            type $Shape = reedbed.v1.FoldRequest.$Properties;
        }

        /**
         * Properties of a FoldRequestAnswer.
         * @deprecated Use reedbed.v1.FoldRequestAnswer.$Properties instead.
         */
        interface IFoldRequestAnswer extends reedbed.v1.FoldRequestAnswer.$Properties {
        }

        /** Represents a FoldRequestAnswer. */
        class FoldRequestAnswer {

            /**
             * Constructs a new FoldRequestAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoldRequestAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoldRequestAnswer onlineHolders. */
            onlineHolders: number;

            /** FoldRequestAnswer certificate. */
            certificate: Uint8Array;

            /** FoldRequestAnswer takenBy. */
            takenBy: string;

            /**
             * Creates a new FoldRequestAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoldRequestAnswer instance
             */
            static create(properties: reedbed.v1.FoldRequestAnswer.$Shape): reedbed.v1.FoldRequestAnswer & reedbed.v1.FoldRequestAnswer.$Shape;
            static create(properties?: reedbed.v1.FoldRequestAnswer.$Properties): reedbed.v1.FoldRequestAnswer;

            /**
             * Encodes the specified FoldRequestAnswer message. Does not implicitly {@link reedbed.v1.FoldRequestAnswer.verify|verify} messages.
             * @param message FoldRequestAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoldRequestAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoldRequestAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoldRequestAnswer & reedbed.v1.FoldRequestAnswer.$Shape} FoldRequestAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoldRequestAnswer & reedbed.v1.FoldRequestAnswer.$Shape;
        }

        namespace FoldRequestAnswer {

            /** Properties of a FoldRequestAnswer. */
            interface $Properties {

                /** FoldRequestAnswer onlineHolders */
                onlineHolders?: (number|null);

                /** FoldRequestAnswer certificate */
                certificate?: (Uint8Array|null);

                /** FoldRequestAnswer takenBy */
                takenBy?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoldRequestAnswer. */
            type $Shape = reedbed.v1.FoldRequestAnswer.$Properties;
        }

        /**
         * Properties of a FoldDelivery.
         * @deprecated Use reedbed.v1.FoldDelivery.$Properties instead.
         */
        interface IFoldDelivery extends reedbed.v1.FoldDelivery.$Properties {
        }

        /** Represents a FoldDelivery. */
        class FoldDelivery {

            /**
             * Constructs a new FoldDelivery.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoldDelivery.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoldDelivery peerRequestId. */
            peerRequestId: string;

            /** FoldDelivery ciphertext. */
            ciphertext: Uint8Array;

            /** FoldDelivery threadRecord. */
            threadRecord: Uint8Array;

            /**
             * Creates a new FoldDelivery instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoldDelivery instance
             */
            static create(properties: reedbed.v1.FoldDelivery.$Shape): reedbed.v1.FoldDelivery & reedbed.v1.FoldDelivery.$Shape;
            static create(properties?: reedbed.v1.FoldDelivery.$Properties): reedbed.v1.FoldDelivery;

            /**
             * Encodes the specified FoldDelivery message. Does not implicitly {@link reedbed.v1.FoldDelivery.verify|verify} messages.
             * @param message FoldDelivery message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoldDelivery.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoldDelivery message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoldDelivery & reedbed.v1.FoldDelivery.$Shape} FoldDelivery
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoldDelivery & reedbed.v1.FoldDelivery.$Shape;
        }

        namespace FoldDelivery {

            /** Properties of a FoldDelivery. */
            interface $Properties {

                /** FoldDelivery peerRequestId */
                peerRequestId?: (string|null);

                /** FoldDelivery ciphertext */
                ciphertext?: (Uint8Array|null);

                /** FoldDelivery threadRecord */
                threadRecord?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoldDelivery. */
            type $Shape = reedbed.v1.FoldDelivery.$Properties;
        }

        /**
         * Properties of a FoldWord.
         * @deprecated Use reedbed.v1.FoldWord.$Properties instead.
         */
        interface IFoldWord extends reedbed.v1.FoldWord.$Properties {
        }

        /** Represents a FoldWord. */
        class FoldWord {

            /**
             * Constructs a new FoldWord.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoldWord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoldWord peerRequestId. */
            peerRequestId: string;

            /** FoldWord reason. */
            reason: string;

            /**
             * Creates a new FoldWord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoldWord instance
             */
            static create(properties: reedbed.v1.FoldWord.$Shape): reedbed.v1.FoldWord & reedbed.v1.FoldWord.$Shape;
            static create(properties?: reedbed.v1.FoldWord.$Properties): reedbed.v1.FoldWord;

            /**
             * Encodes the specified FoldWord message. Does not implicitly {@link reedbed.v1.FoldWord.verify|verify} messages.
             * @param message FoldWord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoldWord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoldWord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoldWord & reedbed.v1.FoldWord.$Shape} FoldWord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoldWord & reedbed.v1.FoldWord.$Shape;
        }

        namespace FoldWord {

            /** Properties of a FoldWord. */
            interface $Properties {

                /** FoldWord peerRequestId */
                peerRequestId?: (string|null);

                /** FoldWord reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoldWord. */
            type $Shape = reedbed.v1.FoldWord.$Properties;
        }

        /**
         * Properties of a FoldCrossings.
         * @deprecated Use reedbed.v1.FoldCrossings.$Properties instead.
         */
        interface IFoldCrossings extends reedbed.v1.FoldCrossings.$Properties {
        }

        /** Represents a FoldCrossings. */
        class FoldCrossings {

            /**
             * Constructs a new FoldCrossings.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FoldCrossings.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FoldCrossings peerRequestIds. */
            peerRequestIds: string[];

            /**
             * Creates a new FoldCrossings instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FoldCrossings instance
             */
            static create(properties: reedbed.v1.FoldCrossings.$Shape): reedbed.v1.FoldCrossings & reedbed.v1.FoldCrossings.$Shape;
            static create(properties?: reedbed.v1.FoldCrossings.$Properties): reedbed.v1.FoldCrossings;

            /**
             * Encodes the specified FoldCrossings message. Does not implicitly {@link reedbed.v1.FoldCrossings.verify|verify} messages.
             * @param message FoldCrossings message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FoldCrossings.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FoldCrossings message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FoldCrossings & reedbed.v1.FoldCrossings.$Shape} FoldCrossings
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FoldCrossings & reedbed.v1.FoldCrossings.$Shape;
        }

        namespace FoldCrossings {

            /** Properties of a FoldCrossings. */
            interface $Properties {

                /** FoldCrossings peerRequestIds */
                peerRequestIds?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FoldCrossings. */
            type $Shape = reedbed.v1.FoldCrossings.$Properties;
        }

        /**
         * Properties of a HolderNotify.
         * @deprecated Use reedbed.v1.HolderNotify.$Properties instead.
         */
        interface IHolderNotify extends reedbed.v1.HolderNotify.$Properties {
        }

        /** Represents a HolderNotify. */
        class HolderNotify {

            /**
             * Constructs a new HolderNotify.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.HolderNotify.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** HolderNotify reedId. */
            reedId: string;

            /** HolderNotify holding. */
            holding: boolean;

            /**
             * Creates a new HolderNotify instance using the specified properties.
             * @param [properties] Properties to set
             * @returns HolderNotify instance
             */
            static create(properties: reedbed.v1.HolderNotify.$Shape): reedbed.v1.HolderNotify & reedbed.v1.HolderNotify.$Shape;
            static create(properties?: reedbed.v1.HolderNotify.$Properties): reedbed.v1.HolderNotify;

            /**
             * Encodes the specified HolderNotify message. Does not implicitly {@link reedbed.v1.HolderNotify.verify|verify} messages.
             * @param message HolderNotify message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.HolderNotify.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a HolderNotify message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.HolderNotify & reedbed.v1.HolderNotify.$Shape} HolderNotify
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.HolderNotify & reedbed.v1.HolderNotify.$Shape;
        }

        namespace HolderNotify {

            /** Properties of a HolderNotify. */
            interface $Properties {

                /** HolderNotify reedId */
                reedId?: (string|null);

                /** HolderNotify holding */
                holding?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a HolderNotify. */
            type $Shape = reedbed.v1.HolderNotify.$Properties;
        }
    }
}
